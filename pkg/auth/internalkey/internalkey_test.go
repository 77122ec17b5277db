package internalkey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/pkg/auth/internalkey"
)

// goodKey has every kind of character that a key may have.
const goodKey = "kJ8m2Zq+Xv/0aB3-c_D4.e~F5gH6iJ7k="

func TestOnlyTheKeyItselfIsTheKey(t *testing.T) {
	for _, text := range []string{goodKey, strings.Repeat("k", 40)} {
		key, err := internalkey.New(text)
		if err != nil {
			t.Fatal(err)
		}
		if !key.Is(text) {
			t.Error("the key is not known")
		}
		for _, other := range []string{"", "k", text[1:], text + "k", strings.ToUpper(text), "x" + text[1:], "hub internal"} {
			if key.Is(other) {
				t.Errorf("%q is taken for the key", other)
			}
		}
	}
	if (*internalkey.Key)(nil).Is("") {
		t.Error("no key is taken for one")
	}
}

func TestInternalKeyMustBeHardToGuess(t *testing.T) {
	for name, key := range map[string]string{
		"empty":      "",
		"short":      strings.Repeat("k", 31),
		"long":       strings.Repeat("k", 1025),
		"blank":      strings.Repeat("k", 31) + " k",
		"line break": strings.Repeat("k", 32) + "\nk",
		"not ASCII":  strings.Repeat("k", 32) + "é",
	} {
		if _, err := internalkey.New(key); err == nil {
			t.Errorf("%s: the key was taken", name)
		} else if key != "" && strings.Contains(err.Error(), key) {
			t.Errorf("%s: the error tells the key", name)
		}
	}
}

func TestReadInternalKey(t *testing.T) {
	key := strings.Repeat("k", 32)
	for name, tt := range map[string]struct {
		content string
		want    string
	}{
		"plain":               {key, key},
		"a line":              {key + "\n", key},
		"a line of Windows":   {key + "\r\n", key},
		"longest":             {strings.Repeat("k", 1024) + "\r\n", strings.Repeat("k", 1024)},
		"short":               {"short\n", ""},
		"two lines":           {key + "\n" + key + "\n", ""},
		"cut at the limit":    {strings.Repeat("k", 4096), ""},
		"blanks at the start": {"  " + key, ""},
		"an example's":        {"REPLACE-THIS-BY-64-RANDOM-HEXADECIMAL-DIGITS", ""},
		"a stand-in":          {"changeme-changeme-changeme-changeme", ""},
	} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := internalkey.Read(path)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: key %q, error %v; want %q", name, got, err, tt.want)
		}
	}
	if _, err := internalkey.Read(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing file was read")
	}
}
