package people

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"example.com/hub/pkg/field"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
)

const (
	// knownFor is how long what the directory said counts, and unknownFor that it knew nothing.
	knownFor, unknownFor = time.Minute, 5 * time.Second
	// maxNames bounds the memory of Names to some 10 MB, and to 60 MB with the longest ids.
	maxNames = 50_000
	// maxAsked is how many ids one call asks for: those of the longest ids fit into a message.
	maxAsked = 5_000
	// maxIDBytes is the longest id: characters have at most four bytes.
	maxIDBytes = 4 * field.MaxID
)

// Names knows whose the ids of users are, and remembers it for a while.
type Names struct {
	calls peoplev1.PeopleServiceClient
	known *remembered[string]
}

// NewNames makes one. Calls must be those of an edge; nil for the clock means time.Now.
func NewNames(calls peoplev1.PeopleServiceClient, clock func() time.Time) *Names {
	return &Names{calls, newRemembered[string](maxNames, clock)}
}

// Usernames implements rest.Directory. It asks for what it does not remember, 5,000 ids at a time.
func (n *Names) Usernames(ctx context.Context, ids []string) ([]string, error) {
	names := make([]string, len(ids))
	places := map[string][]int{}
	var unknown []string
	for i, id := range ids {
		if id == "" || len(id) > maxIDBytes {
			continue
		}
		if name, ok := n.known.get(id); ok {
			names[i] = name
			continue
		}
		if places[id] == nil {
			unknown = append(unknown, id)
		}
		places[id] = append(places[id], i)
	}
	for len(unknown) > 0 {
		asked := unknown[:min(len(unknown), maxAsked)]
		unknown = unknown[len(asked):]
		found, err := n.ask(ctx, asked)
		if err != nil {
			return nil, err
		}
		for k, id := range asked {
			for _, i := range places[id] {
				names[i] = found[k]
			}
		}
	}
	return names, nil
}

var errShort = errors.New("its answer has not one name for each id")

// ask gives the username of each id, and remembers it.
func (n *Names) ask(ctx context.Context, ids []string) ([]string, error) {
	answer, err := n.calls.ResolveUsers(ctx, &peoplev1.ResolveUsersRequest{UserIds: ids})
	switch {
	case ctx.Err() != nil:
		return nil, status.FromContextError(ctx.Err()).Err()
	case err != nil:
		return nil, callFailed(err)
	case len(answer.GetUsernames()) != len(ids):
		return nil, callFailed(errShort)
	}
	for i, id := range ids {
		name, keep := answer.GetUsernames()[i], knownFor
		if name == "" {
			keep = unknownFor
		}
		n.known.put(strings.Clone(id), name, keep) // the id may be a part of a large body
	}
	return answer.GetUsernames(), nil
}
