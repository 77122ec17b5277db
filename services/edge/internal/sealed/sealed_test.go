package sealed_test

import (
	"encoding/base64"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/sealed"
)

const (
	first  = "lNGfhVyWlSxMdSrpkPPLkwLPyPdHCFNK"
	second = "d52c1ccf3e2ba6a3d2f1ae2b2b0d4bbd0b0d5f6a35d51d0f9f8a96e3a0b9bb42"
)

type value struct{ Name, More string }

// folder has a file of keys and the keys that were read from it.
type folder struct {
	*sealed.Keys
	path string
	now  time.Time
}

func open(t *testing.T, lines ...string) *folder {
	t.Helper()
	f := &folder{path: filepath.Join(t.TempDir(), "secrets"), now: time.Unix(1_900_000_000, 0)}
	f.write(t, lines...)
	var err error
	f.Keys, err = sealed.Open(sealed.Config{File: f.path}, sealed.Deps{
		Clock:  func() time.Time { return f.now },
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *folder) write(t *testing.T, lines ...string) {
	t.Helper()
	if err := os.WriteFile(f.path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	f.now = f.now.Add(reload.Every)
}

func (f *folder) seal(t *testing.T, v any) string {
	t.Helper()
	text, err := f.Seal("session", v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhatIsSealedOpens(t *testing.T) {
	f, want := open(t, first), value{"amy", "Ämy & <b>"}
	var got value
	if err := f.Open("session", f.seal(t, want), &got); err != nil || got != want {
		t.Errorf("opened %+v, %v", got, err)
	}
	if one, two := f.seal(t, want), f.seal(t, want); one == two {
		t.Error("the same value has the same text twice")
	}
}

func TestAnotherPurposeIsRefused(t *testing.T) {
	f := open(t, first)
	wantRefused(t, f, "login", f.seal(t, value{"amy", ""}))
	wantRefused(t, f, "", f.seal(t, value{"amy", ""}))
}

// TestEveryChangedByteIsRefused changes each byte of texts of several lengths into each character that a
// cookie may have: base64 has places in which some of these are the same bytes.
func TestEveryChangedByteIsRefused(t *testing.T) {
	f := open(t, first)
	const characters = "AQgwBCD089-_.=\n"
	for _, more := range []string{"", "x", "xy"} {
		text := f.seal(t, value{"amy", more})
		for i := range len(text) {
			for _, c := range []byte(characters) {
				if c != text[i] {
					wantRefused(t, f, "session", text[:i]+string(c)+text[i+1:])
				}
			}
			wantRefused(t, f, "session", text[:i]+text[i+1:])
			wantRefused(t, f, "session", text[:i]+"\n"+text[i:])
		}
		wantRefused(t, f, "session", text+"=", text+".", text+"\r\n", " "+text)
	}
}

func TestOtherHeadersAreRefused(t *testing.T) {
	f := open(t, first)
	text := f.seal(t, value{"amy", ""})
	head, rest, _ := strings.Cut(text, ".")
	header, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil {
		t.Fatal(err)
	}
	_, kid, _ := strings.Cut(string(header), `"kid":"`)
	kid, _, _ = strings.Cut(kid, `"`)
	for _, h := range []string{
		`{}`, `{"alg":"none"}`, `{"alg":"dir","enc":"A256GCM"}`, `{"alg":"dir","enc":"A256GCM","kid":""}`,
		`{"alg":"dir","enc":"A256GCM","kid":"another"}`,
		`{"alg":"dir","enc":"A128GCM","kid":"` + kid + `"}`,
		`{"alg":"A256KW","enc":"A256GCM","kid":"` + kid + `"}`,
		`{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","kid":"` + kid + `","p2c":10000000,"p2s":"AAAAAAAAAAAA"}`,
		`{"alg":"dir","enc":"A256GCM","kid":"` + kid + `","zip":"DEF"}`,
		`{"alg":"dir","enc":"A256GCM","kid":"` + kid + `","crit":["exp"],"exp":1}`,
		`{"enc":"A256GCM","alg":"dir","kid":"` + kid + `"}`,
		`{"alg":"dir", "enc":"A256GCM","kid":"` + kid + `"}`,
	} {
		wantRefused(t, f, "session", base64.RawURLEncoding.EncodeToString([]byte(h))+"."+rest)
	}
	wantRefused(t, f, "session", "", ".", "....", head, head+"....", head+"."+head+"."+rest, strings.Repeat("x", 5000), head+strings.Repeat(".", 3000))
}

// TestTextsOfAnotherMakerAreRefused has a valid JWE of somebody who knows the file but not how purposes are
// bound in.
func TestTextsOfAnotherMakerAreRefused(t *testing.T) {
	f := open(t, first)
	e, err := jose.NewEncrypter(jose.A256GCM, jose.Recipient{Algorithm: jose.DIRECT, Key: []byte(first)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	object, err := e.Encrypt([]byte(`{"Name":"amy"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := object.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, f, "session", text)
}

func TestKeysRotateWithoutALostText(t *testing.T) {
	f := open(t, first)
	old := f.seal(t, value{"amy", ""})
	f.write(t, first, second)
	other := open(t, second, first)
	wantOpen(t, f, old, other.seal(t, value{"ben", ""}))
	f.write(t, second, "", first, "")
	young := f.seal(t, value{"amy", ""})
	wantOpen(t, f, old, young)
	wantOpen(t, other, old, young)
	f.write(t, second)
	wantRefused(t, f, "session", old)
	wantOpen(t, f, young)
	f.write(t, "too short")
	wantOpen(t, f, young) // what was read last stays in force
}

func TestBadFilesAreRefused(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"empty":       {"", "there is no key"},
		"blank":       {"\n\r\n", "there is no key"},
		"short":       {first[:31], "the key in line 1 must have 32 to 1024 characters"},
		"long":        {first + "\n" + strings.Repeat("x", 1025), "the key in line 2 must have 32 to 1024 characters"},
		"characters":  {first[:31] + "ä", "must have letters, digits and"},
		"blanks":      {" " + first, "must have letters, digits and"},
		"placeholder": {"replace-me-with-openssl-rand-hex-32", "is the placeholder of an example"},
		"twice":       {first + "\n\n" + first, "the key in line 3 is there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "secrets")
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := sealed.Open(sealed.Config{File: path}, sealed.Deps{})
			if err == nil || !strings.HasPrefix(err.Error(), "HUB_SECRETS_FILE: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if secret := strings.TrimSpace(tt.content); err != nil && secret != "" && strings.Contains(err.Error(), secret) {
				t.Errorf("the error %q tells the key", err)
			}
		})
	}
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if _, err := sealed.Open(sealed.Config{File: path}, sealed.Deps{}); err == nil || !strings.Contains(err.Error(), "HUB_SECRETS_FILE") {
			t.Errorf("%v", err)
		}
	}
}

func TestAMadeKeyStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "secrets")
	var text string
	for range 2 {
		k, err := sealed.Open(sealed.Config{File: path}, sealed.Deps{CreateKeys: true})
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			if text, err = k.Seal("session", value{"amy", ""}); err != nil {
				t.Fatal(err)
			}
		}
		wantOpen(t, &folder{Keys: k}, text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestWhatDoesNotFitIsNotSealed(t *testing.T) {
	f := open(t, first)
	if text, err := f.Seal("session", value{"amy", strings.Repeat("x", 3000)}); err == nil {
		t.Errorf("sealed %d bytes", len(text))
	}
	text := f.seal(t, value{"amy", strings.Repeat("x", 2600)})
	if len(text) > sealed.MaxText {
		t.Errorf("sealed %d bytes", len(text))
	}
	wantOpen(t, f, text)
}

func wantOpen(t *testing.T, f *folder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := f.Open("session", text, &value{}); err != nil {
			t.Error(err)
		}
	}
}

func wantRefused(t *testing.T, f *folder, purpose string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		var got value
		if err := f.Open(purpose, text, &got); !errors.Is(err, sealed.ErrRefused) || got != (value{}) {
			t.Fatalf("%q: opened %+v, %v", text, got, err)
		}
	}
}
