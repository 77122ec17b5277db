package clients_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/hub/pkg/auth/clients"
)

func TestCreateShowsTheSecretApartFromTheEntry(t *testing.T) {
	var out, errs strings.Builder
	if err := clients.Create(&out, &errs, "crm", []string{"client", "directory"}); err != nil {
		t.Fatal(err)
	}
	var c clients.Client
	if err := json.Unmarshal([]byte(out.String()), &c); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	lines := strings.Split(errs.String(), "\n")
	if secret := strings.TrimSpace(lines[1]); len(secret) != 43 || c.SecretSHA256[0] != clients.Sum(secret) {
		t.Errorf("the secret is %q, the entry %+v", secret, c)
	}
	if _, err := c.Check(); err != nil || c.ID != "crm" || len(c.Scopes) != 2 {
		t.Errorf("the entry is %+v, %v", c, err)
	}
}

func TestCheckNamesTheFault(t *testing.T) {
	sum := []string{clients.Sum("x")}
	for want, c := range map[string]clients.Client{
		"id must have 1 to 128":                 {SecretSHA256: sum, Scopes: []string{"client"}},
		"secret_sha256 must not be empty":       {ID: "crm", Scopes: []string{"client"}},
		"scopes must be one or more":            {ID: "crm", SecretSHA256: sum, Scopes: []string{"a b"}},
		"secret_sha256 must be 64 hex digits, ": {ID: "crm", SecretSHA256: []string{"x"}, Scopes: []string{"client"}},
	} {
		if _, err := c.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
}
