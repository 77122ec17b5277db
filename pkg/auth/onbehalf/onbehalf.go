// Package onbehalf is what travels with a call that an edge makes for a user: who she is, in the metadata.
// Anybody can write that, so it counts only beside the credential of Hub's own services.
package onbehalf

import (
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// Keys of the metadata.
const (
	// User is the username, percent-encoded: values of metadata are ASCII.
	User = "hub-user"
	// Permissions are names with commas between them; there may be none.
	Permissions = "hub-permissions"
)

// Encode gives the metadata of a user's call.
func Encode(p auth.Principal) map[string]string {
	out := map[string]string{User: url.QueryEscape(p.User)}
	if len(p.Permissions) > 0 {
		out[Permissions] = strings.Join(p.Permissions, ",")
	}
	return out
}

// Decode reads the values of the two keys; asked is false where there are none of either. The username must
// be there once, the permissions at most once; every error is a fault of kind Unauthenticated.
func Decode(users, permissions []string) (p auth.Principal, asked bool, err error) {
	if len(users)+len(permissions) == 0 {
		return auth.Principal{}, false, nil
	}
	if len(users) != 1 || len(permissions) > 1 {
		return auth.Principal{}, true, refuse(errors.New(User + " must be given once, and " + Permissions + " at most once"))
	}
	name, err := url.QueryUnescape(users[0])
	if err != nil {
		return auth.Principal{}, true, refuse(err)
	}
	var c field.Checks
	if c.Username("user", name, field.Required); c.Err() != nil || !utf8.ValidString(name) {
		return auth.Principal{}, true, refuse(errors.New("that is no username"))
	}
	p.User = name
	if len(permissions) == 1 {
		p.Permissions = strings.Split(permissions[0], ",")
	}
	return p, true, nil
}

func refuse(cause error) error {
	return fault.Wrap(fault.Unauthenticated, "it is not clear for which user the call is", cause)
}
