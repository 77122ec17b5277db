package edge

import (
	"net/http"
	"slices"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/people"
	"example.com/hub/services/edge/internal/permission"
	"example.com/hub/services/edge/internal/rest"
)

// withRoles gives users who come with a token what their roles in the directory allow. Sessions have it.
type withRoles struct {
	rest.Authenticator
	roles       *people.Roles
	permissions permission.Map
}

// Authenticate implements rest.Authenticator. While nobody can tell her roles, a user has what her token
// allows; the error is a fault of kind Unavailable where that is not enough.
func (a withRoles) Authenticate(w http.ResponseWriter, r *http.Request, rule auth.Rule) (auth.Principal, error) {
	p, err := a.Authenticator.Authenticate(w, r, rule)
	if err != nil || p.User == "" {
		return p, err
	}
	roles, err := a.roles.Of(r.Context(), p.User)
	if err != nil && rule.Permission != "" && !rule.Admits(p) {
		return auth.Principal{}, err
	}
	p.Permissions = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Permissions, a.permissions.Of(nil, roles)))))
	return p, nil
}
