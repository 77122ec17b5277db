package issuer_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSigningKeyIsCreatedOnceAndOutlivesARestart(t *testing.T) {
	b := prepare(t)
	b.cfg.SigningKeysFile = filepath.Join(t.TempDir(), "data", "keys.pem")
	wantOpenError(t, b, "HUB_SIGNING_KEYS_FILE")
	if _, err := os.Stat(b.cfg.SigningKeysFile); err == nil {
		t.Error("a key was created without leave")
	}

	b.deps.CreateKeys = true
	b.open(t)
	raw := b.get(t)
	info, err := os.Stat(b.cfg.SigningKeysFile)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode is %v, want 0600", info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(b.cfg.SigningKeysFile))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v, want one file", entries, err)
	}

	b.open(t)
	if _, err := b.verifier().Verify(t.Context(), raw); err != nil {
		t.Errorf("the token from before the restart is refused: %v", err)
	}
}

func TestFirstKeySignsAndAllArePublished(t *testing.T) {
	b := prepare(t)
	write(t, b.cfg.SigningKeysFile, slices.Concat([]byte("comment\n"), pkcs1(secondKey()), pkcs8(firstKey())))
	b.open(t)
	got := b.Keys()
	if len(got) != 2 || !secondKey().PublicKey.Equal(got[0].Key) || !firstKey().PublicKey.Equal(got[1].Key) {
		t.Fatalf("keys are %v", got)
	}
	if kid := kidOf(t, b.get(t)); kid != got[0].KeyID {
		t.Errorf("the token is signed by %s, want %s", kid, got[0].KeyID)
	}
}

func TestKeyChangesWithoutARefusedToken(t *testing.T) {
	b := newBench(t)
	v := b.verifier()
	var issued []string
	step := func(name string, wantKeys int, files ...[]byte) {
		t.Helper()
		write(t, b.cfg.SigningKeysFile, slices.Concat(files...))
		b.advance(5 * time.Second)
		issued = append(issued, b.get(t))
		if got := len(b.Keys()); got != wantKeys {
			t.Errorf("%s: %d keys, want %d", name, got, wantKeys)
		}
		for i, raw := range issued {
			if _, err := v.Verify(t.Context(), raw); err != nil {
				t.Errorf("%s: token %d is refused: %v", name, i, err)
			}
		}
	}
	step("before", 1, pkcs8(firstKey()))
	step("published", 2, pkcs8(firstKey()), pkcs8(secondKey()))
	step("signing", 2, pkcs8(secondKey()), pkcs8(firstKey()))
	kids := []string{kidOf(t, issued[1]), kidOf(t, issued[2])}
	if diff := cmp.Diff([]string{b.Keys()[1].KeyID, b.Keys()[0].KeyID}, kids); diff != "" {
		t.Error(diff)
	}

	write(t, b.cfg.SigningKeysFile, pkcs8(secondKey()))
	b.advance(5 * time.Minute)
	if _, err := v.Verify(t.Context(), issued[0]); err == nil {
		t.Error("a token of the removed key is accepted")
	}
	if _, err := v.Verify(t.Context(), issued[2]); err != nil {
		t.Error(err)
	}
}

func TestBadKeysFileIsRefusedAtStart(t *testing.T) {
	small := must(rsa.GenerateKey(rand.Reader, 1024))
	good := pkcs8(firstKey())
	for name, content := range map[string][]byte{
		"empty":        nil,
		"no PEM":       []byte("key"),
		"cut off":      good[:len(good)/2],
		"other block":  bytes.ReplaceAll(good, []byte("PRIVATE KEY"), []byte("CERTIFICATE")),
		"wrong form":   bytes.ReplaceAll(good, []byte("PRIVATE KEY"), []byte("RSA PRIVATE KEY")),
		"wrong form 8": bytes.ReplaceAll(pkcs1(firstKey()), []byte("RSA PRIVATE KEY"), []byte("PRIVATE KEY")),
		"curve":        pkcs8(curveKey()),
		"1,024 bits":   pkcs8(small),
		"one of two":   slices.Concat(good, pkcs8(curveKey())),
	} {
		t.Run(name, func(t *testing.T) {
			b := prepare(t)
			write(t, b.cfg.SigningKeysFile, content)
			wantOpenError(t, b, "HUB_SIGNING_KEYS_FILE")
		})
	}
	t.Run("not set", func(t *testing.T) {
		b := prepare(t)
		b.cfg.SigningKeysFile = ""
		wantOpenError(t, b, "HUB_SIGNING_KEYS_FILE")
	})
	t.Run("folder that cannot be made", func(t *testing.T) {
		b := prepare(t)
		b.deps.CreateKeys = true
		b.cfg.SigningKeysFile = filepath.Join(b.cfg.ClientsFile, "keys.pem")
		wantOpenError(t, b, "HUB_SIGNING_KEYS_FILE")
	})
}
