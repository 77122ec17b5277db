package auth_test

import (
	"testing"

	"example.com/hub/pkg/auth"
)

func TestRuleAdmitsWhatItNamesAndNobodyElse(t *testing.T) {
	rules := map[string]auth.Rule{
		"nobody":                  {},
		"anyone":                  {Anyone: true},
		"client":                  {Scope: "client"},
		"user":                    {User: true},
		"permission":              {Permission: "todos"},
		"internal":                {Internal: true},
		"client or user":          {Scope: "client", User: true},
		"directory or permission": {Scope: "directory", Permission: "todos"},
	}
	for name, tt := range map[string]struct {
		principal auth.Principal
		want      []string // besides anyone
	}{
		"nobody":                  {auth.Principal{}, nil},
		"client":                  {auth.Principal{Client: "erp", Scopes: []string{"profile", "client"}}, []string{"client", "client or user"}},
		"client without":          {auth.Principal{Client: "erp", Scopes: []string{"", "clientx", "CLIENT", "todos", "hub internal"}}, nil},
		"client of directory":     {auth.Principal{Client: "feed", Scopes: []string{"directory"}}, []string{"directory or permission"}},
		"client with permissions": {auth.Principal{Client: "erp", Permissions: []string{"todos"}}, nil},
		"user":                    {auth.Principal{User: "amy"}, []string{"user", "client or user"}},
		"user with scopes":        {auth.Principal{User: "amy", Scopes: []string{"client", "directory"}}, []string{"user", "client or user"}},
		"user with permission":    {auth.Principal{User: "carla", Permissions: []string{"apps", "todos"}}, []string{"user", "client or user", "permission", "directory or permission"}},
		"user with others":        {auth.Principal{User: "carla", Permissions: []string{"", "todo", "TODOS"}}, []string{"user", "client or user"}},
		"internal":                {auth.Principal{Internal: true, Scopes: []string{"client"}, Permissions: []string{"todos"}}, []string{"internal"}},
	} {
		admitted := map[string]bool{"anyone": true}
		for _, rule := range tt.want {
			admitted[rule] = true
		}
		for rule, r := range rules {
			if got := r.Admits(tt.principal); got != admitted[rule] {
				t.Errorf("%s: the rule %q admits it: %v, want %v", name, rule, got, admitted[rule])
			}
		}
	}
}

func TestPrincipalHasAName(t *testing.T) {
	for want, p := range map[string]auth.Principal{
		"erp":          {Client: "erp"},
		"user:amy":     {User: "amy"},
		"hub internal": {Internal: true},
		"":             {},
	} {
		if got := p.Name(); got != want {
			t.Errorf("%+v is called %q, want %q", p, got, want)
		}
	}
}
