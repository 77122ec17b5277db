package rest

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Directory knows whose an id of a user is.
type Directory interface {
	// Usernames gives the username of each id, in the order of the ids, and "" for an id of nobody and for
	// an empty one. An id may repeat. Its errors are those of a call: of the code Unavailable while nobody
	// can tell.
	Usernames(ctx context.Context, ids []string) ([]string, error)
}

// NameUsers has ids of users become their usernames once the request is read, and before the call is made.
// Then put gets the username of each, in the order of the ids; its error is for the caller. A request has one
// call of it or of ChooseUsers, with all of its ids: a reader waits for nobody.
func (r *Request) NameUsers(ids []string, put func(usernames []string) error) {
	if len(ids) == 0 {
		return
	}
	r.before = func(ctx context.Context, l *limits) error {
		usernames, err := l.usernames(ctx, ids)
		if err != nil {
			return err
		}
		if err := put(usernames); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
		return nil
	}
}

// KnownUser gives the fault of an id that is nobody's; field is its name in faults. An empty id stays empty,
// and the hub says whether there must be one.
func KnownUser(field, id, username string) error {
	if id != "" && username == "" {
		return fmt.Errorf("%s is not the id of a user", field)
	}
	return nil
}

// usernames gives those of ids. Without a directory, an id is a username. Its errors are those of a call.
func (l *limits) usernames(ctx context.Context, ids []string) ([]string, error) {
	if l.directory == nil {
		return ids, nil
	}
	return l.directory.Usernames(ctx, ids) //nolint:wrapcheck // it is the status of a call
}
