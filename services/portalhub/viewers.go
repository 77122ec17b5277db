package portalhub

import (
	"context"
	"errors"

	"example.com/hub/services/portalhub/internal/people"
	"example.com/hub/services/portalhub/internal/visibility"
)

// viewers are the visibility.Subjects of the directory.
type viewers struct {
	people *people.Service
	// byDirectory says that a user is known by the id that the feed linked, and not by her username.
	byDirectory bool
}

var _ visibility.Subjects = viewers{}

// Subjects implements visibility.Subjects.
func (v viewers) Subjects(ctx context.Context, username string) (all []string, err error) {
	who, err := v.people.Get(ctx, username)
	if err != nil && !errors.Is(err, people.ErrUnknown) {
		return nil, err
	}
	id := username
	if v.byDirectory {
		id = who.UserID
	}
	if id != "" {
		all = append(all, visibility.User+id)
	}
	for _, dept := range who.Departments {
		all = append(all, visibility.Department+dept)
	}
	for _, role := range who.Roles {
		all = append(all, visibility.Role+role)
	}
	return all, nil
}
