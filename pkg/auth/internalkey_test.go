package auth_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
)

// goodKey has every kind of character that a key may have.
const goodKey = "kJ8m2Zq+Xv/0aB3-c_D4.e~F5gH6iJ7k="

// client takes every token for one of a client.
type client struct{ asked []string }

func (c *client) Verify(_ context.Context, raw string) (auth.Caller, error) {
	c.asked = append(c.asked, raw)
	return auth.Caller{ClientID: "erp", Scopes: []string{auth.ScopeClient}}, nil
}

func TestInternalKeyGivesTheInternalScopeOnly(t *testing.T) {
	next := &client{}
	v, err := auth.WithInternalKey(next, goodKey)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := v.Verify(t.Context(), goodKey)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{auth.ScopeInternal}, caller.Scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	if len(next.asked) != 0 {
		t.Error("the key was taken for a token")
	}
}

func TestEveryOtherTokenIsLeftToTheNextVerifier(t *testing.T) {
	key := strings.Repeat("k", 40)
	next := &client{}
	v, err := auth.WithInternalKey(next, key)
	if err != nil {
		t.Fatal(err)
	}
	tokens := []string{"", "k", key[1:], key + "k", strings.ToUpper(key), "x" + key[1:], auth.ScopeInternal}
	for _, token := range tokens {
		caller, err := v.Verify(t.Context(), token)
		if err != nil || caller.HasScope(auth.ScopeInternal) || caller.ClientID != "erp" {
			t.Errorf("%q: caller %+v, error %v; want the client", token, caller, err)
		}
	}
	if diff := cmp.Diff(tokens, next.asked); diff != "" {
		t.Errorf("tokens that were verified (-want +got):\n%s", diff)
	}
}

// TestNoTokenCarriesTheInternalScope tries every form in which a token can name scopes.
func TestNoTokenCarriesTheInternalScope(t *testing.T) {
	v := auth.NewVerifier(config())
	for name, scope := range map[string]any{
		"string":       auth.ScopeInternal,
		"array":        []string{auth.ScopeInternal},
		"mixed":        []any{"client", auth.ScopeInternal},
		"nested array": [][]string{{auth.ScopeInternal}},
	} {
		caller, err := v.Verify(t.Context(), token(nil, object{"scope": scope, "scp": scope}))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if caller.HasScope(auth.ScopeInternal) {
			t.Errorf("%s: a token carries the internal scope", name)
		}
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
		if _, err := auth.WithInternalKey(&client{}, key); err == nil {
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
		got, err := auth.ReadInternalKey(path)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: key %q, error %v; want %q", name, got, err, tt.want)
		}
	}
	if _, err := auth.ReadInternalKey(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing file was read")
	}
}

// TestInternalKeyDoesNotHideFaults passes on what the next verifier says.
func TestInternalKeyDoesNotHideFaults(t *testing.T) {
	v, err := auth.WithInternalKey(refusing{}, strings.Repeat("k", 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), "token"); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("error %v, want a fault of kind Unauthenticated", err)
	}
}

type refusing struct{}

func (refusing) Verify(context.Context, string) (auth.Caller, error) {
	return auth.Caller{}, fault.New(fault.Unauthenticated, "the access token is not valid")
}
