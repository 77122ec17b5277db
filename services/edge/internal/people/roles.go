package people

import (
	"context"
	"time"
)

// maxUsers bounds the memory of Roles to some 10 MB.
const maxUsers = 10_000

// Roles knows the roles of users in the directory, and remembers them for a while.
type Roles struct {
	directory *Directory
	known     *remembered[[]string]
}

// NewRoles makes one; nil for the clock means time.Now.
func NewRoles(d *Directory, clock func() time.Time) *Roles {
	return &Roles{d, newRemembered[[]string](maxUsers, clock)}
}

// Of gives the ids of a user's roles; who is not in the directory has none. The error is a fault of kind
// Unavailable.
func (r *Roles) Of(ctx context.Context, username string) ([]string, error) {
	if roles, ok := r.known.get(username); ok {
		return roles, nil
	}
	who, known, err := r.directory.Find(ctx, username)
	if err != nil {
		return nil, err
	}
	keep := knownFor
	if !known {
		keep = unknownFor
	}
	r.known.put(username, who.Roles, keep)
	return who.Roles, nil
}
