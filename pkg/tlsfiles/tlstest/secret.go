package tlstest

import (
	"os"
	"path/filepath"
	"testing"
)

// Secret is a folder in which Kubernetes has mounted a Secret: the files are links into a folder that
// is a link itself, so that all files are replaced at once.
type Secret struct{ dir string }

// data is the link through which the files lead.
const data = "..data"

// Mount makes a folder with these files.
func Mount(t testing.TB, files map[string][]byte) Secret {
	t.Helper()
	s := Secret{t.TempDir()}
	s.Replace(t, files)
	for name := range files {
		if err := os.Symlink(filepath.Join(data, name), s.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// MountPair is Mount with the names of a Secret of the type kubernetes.io/tls, and the authority that
// cert-manager adds.
func MountPair(t testing.TB, p Pair, authority []byte) Secret {
	t.Helper()
	return Mount(t, pairFiles(p, authority))
}

// Path is where a file is.
func (s Secret) Path(name string) string { return filepath.Join(s.dir, name) }

// Replace replaces all files at once. The names must be those of the beginning.
func (s Secret) Replace(t testing.TB, files map[string][]byte) {
	t.Helper()
	version, err := os.MkdirTemp(s.dir, "..version-")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(version, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := s.Path("..data_tmp")
	if err := os.Symlink(filepath.Base(version), link); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Readlink(s.Path(data)) // there is none at first
	if err := os.Rename(link, s.Path(data)); err != nil {
		t.Fatal(err)
	}
	if before != "" {
		if err := os.RemoveAll(s.Path(before)); err != nil {
			t.Fatal(err)
		}
	}
}

// ReplacePair is Replace for a folder of MountPair.
func (s Secret) ReplacePair(t testing.TB, p Pair, authority []byte) {
	t.Helper()
	s.Replace(t, pairFiles(p, authority))
}

func pairFiles(p Pair, authority []byte) map[string][]byte {
	return map[string][]byte{"tls.crt": p.Cert, "tls.key": p.Key, "ca.crt": authority}
}
