package disk_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub/blob/blobtest"
	"example.com/hub/services/portalhub/blob/disk"
	"example.com/hub/services/portalhub/internal/file"
)

func open(t *testing.T, folder string) *disk.Store {
	t.Helper()
	s, err := disk.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBlobs(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) file.Blobs { return open(t, t.TempDir()) })
}

// drafts lists what is being written.
func drafts(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(folder, "drafts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestDraftsGo(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	blobtest.Keep(t, s, []byte("x"))
	if left := drafts(t, folder); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
	if _, err := s.Create(t.Context()); err != nil { // which nobody discards, as in a crash
		t.Fatal(err)
	}
	nothing := func([]string) error { return nil }
	if err := s.Old(t.Context(), time.Now().Add(-time.Minute), nothing); err != nil || len(drafts(t, folder)) != 1 {
		t.Errorf("%v, there is %v", err, drafts(t, folder))
	}
	if err := s.Old(t.Context(), time.Now().Add(time.Minute), nothing); err != nil || len(drafts(t, folder)) != 0 {
		t.Errorf("%v, there is %v", err, drafts(t, folder))
	}
}

// TestAFolderMayHoldOtherThings has what desktops, file systems and people leave beside blobs.
func TestAFolderMayHoldOtherThings(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	hash := blobtest.Keep(t, s, []byte("x"))
	for _, name := range []string{".DS_Store", "a", hash[:2] + "/a", hash[:2] + "/.nfs0001", hash[:2] + "/" + hash + ".bak"} {
		if err := os.WriteFile(filepath.Join(folder, "blobs", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Old(t.Context(), time.Now().Add(time.Hour), func(hashes []string) error {
		if len(hashes) != 1 || hashes[0] != hash {
			t.Errorf("there is %v", hashes)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAFolderThatIsGoneIsUnavailable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	s := open(t, folder)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	_, created := s.Create(t.Context())
	listed := s.Old(t.Context(), time.Now(), func([]string) error { return nil })
	for what, err := range map[string]error{"create": created, "list": listed} {
		if err == nil || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
}
