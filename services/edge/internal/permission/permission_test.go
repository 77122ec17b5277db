package permission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/config"
	"example.com/hub/services/edge/internal/permission"
)

func load(roles string) (permission.Config, error) {
	var c permission.Config
	err := config.Load(&c, []string{"HUB_ROLE_PERMISSIONS=" + roles})
	return c, err
}

func TestOf(t *testing.T) {
	all := []string{"apps", "content", "directory", "messages", "todos"}
	for name, tt := range map[string]struct {
		setting       string
		claims, roles []string
		want          []string
	}{
		"the default":                {"", []string{"staff", "hub-admin"}, nil, all},
		"nobody":                     {"", nil, nil, []string{}},
		"another case":               {"", []string{"Hub-Admin"}, nil, []string{}},
		"a role is no claim":         {"", nil, []string{"hub-admin"}, []string{}},
		"a claim is no role":         {"role:7=apps", []string{"7"}, []string{"8"}, []string{}},
		"all together":               {"claim:a=todos+apps,role:7=messages,claim:a=content", []string{"a"}, []string{"7"}, []string{"apps", "content", "messages", "todos"}},
		"once each":                  {"claim:a=*,claim:b=apps", []string{"a", "b", "a"}, nil, all},
		"names with signs and blank": {"claim:Domain Users:x=y=apps", []string{"Domain Users:x=y"}, nil, []string{"apps"}},
	} {
		c, err := load(tt.setting)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, c.Map().Of(tt.claims, tt.roles)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOneRoleDoesNotTouchAll(t *testing.T) {
	c, err := load("claim:a=*+apps,claim:b=*")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Map().Of([]string{"b"}, nil); !cmp.Equal(got, permission.All) || len(permission.All) != 5 {
		t.Errorf("%v, %v", got, permission.All)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for _, setting := range []string{"x", "hub-admin=*", "claim:=*", "claim:a", "user:a=*", "claim:a=", "claim:a=admin", "claim:a=apps+", "claim:a=Apps", "claim:a=apps todos", "claim:a=*,"} {
		if _, err := load(setting); err == nil || !strings.HasPrefix(err.Error(), "HUB_ROLE_PERMISSIONS: must ") {
			t.Errorf("%q: %v", setting, err)
		}
	}
}
