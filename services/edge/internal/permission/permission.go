// Package permission says what the roles of a user allow her beyond her own things.
package permission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/hub/pkg/auth"
)

// All are all permissions, sorted.
var All = []string{
	auth.PermissionApps, auth.PermissionContent, auth.PermissionDirectory, auth.PermissionMessages, auth.PermissionTodos,
}

// Config are the settings of permissions.
type Config struct {
	Roles []string `env:"HUB_ROLE_PERMISSIONS" envDefault:"claim:hub-admin=*" help:"comma-separated ROLE=PERMISSIONS: claim:NAME is a role that the provider's token names, role:ID one of the directory; PERMISSIONS are apps, content, directory, messages, todos with + between them, or * for all"`
}

// Validate tells all faults, one in a line.
func (c Config) Validate() error {
	_, err := c.parse()
	return err
}

// Map has the permissions of each role, by its name with claim: or role: before it.
type Map map[string][]string

// Map gives the permissions of the roles. The settings must be valid.
func (c Config) Map() Map {
	m, _ := c.parse()
	return m
}

func (c Config) parse() (Map, error) {
	m := Map{}
	var faults []error
	for _, entry := range c.Roles {
		// The name of a role may have an equals sign, permissions have none.
		i := strings.LastIndexByte(entry, '=')
		if i < 0 || !named(entry[:i]) {
			faults = append(faults, fmt.Errorf("HUB_ROLE_PERMISSIONS: must be claim:NAME=PERMISSIONS or role:ID=PERMISSIONS, with commas between them, not %q", entry))
			continue
		}
		role := entry[:i]
		for name := range strings.SplitSeq(entry[i+1:], "+") {
			switch {
			case name == "*":
				m[role] = All
			case slices.Contains(All, name):
				m[role] = append(slices.Clip(m[role]), name)
			default:
				faults = append(faults, fmt.Errorf("HUB_ROLE_PERMISSIONS: must name permissions of %s, not %q", strings.Join(All, ", "), name))
			}
		}
	}
	return m, errors.Join(faults...)
}

func named(role string) bool {
	kind, name, _ := strings.Cut(role, ":")
	return (kind == "claim" || kind == "role") && name != ""
}

// ForRoles tells whether a role of the directory has permissions.
func (m Map) ForRoles() bool {
	for role := range m {
		if strings.HasPrefix(role, "role:") {
			return true
		}
	}
	return false
}

// Of gives the permissions of somebody, sorted: claims are the roles that the provider's token names, roles
// those of the directory.
func (m Map) Of(claims, roles []string) []string {
	found := []string{}
	for _, name := range claims {
		found = append(found, m["claim:"+name]...)
	}
	for _, id := range roles {
		found = append(found, m["role:"+id]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
