package grpcserver

import (
	"context"

	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/fault"
)

// identify tells who makes a call: a user where its metadata names one, and else whom the token speaks for.
// Certificates matter only to the calls of Hub's own services.
func (i *interceptor) identify(ctx context.Context, rule auth.Rule) (auth.Principal, error) {
	user, asked, err := onbehalf.Decode(
		metadata.ValueFromIncomingContext(ctx, onbehalf.User), metadata.ValueFromIncomingContext(ctx, onbehalf.Permissions))
	if err != nil {
		return auth.Principal{}, err
	}
	if asked {
		if err := i.speaksFor(ctx); err != nil {
			return auth.Principal{}, err // the log must not name who is only claimed
		}
		return user, nil
	}
	if rule.Internal {
		if err := i.edges.certified(ctx); err != nil {
			return auth.Principal{}, err
		}
		if i.edges.known() && i.edges.Key == nil {
			return auth.Principal{Internal: true}, nil
		}
	}
	token, err := auth.Bearer(metadata.ValueFromIncomingContext(ctx, "authorization"))
	if err != nil {
		return auth.Principal{}, err
	}
	if i.edges.Key.Is(token) {
		return auth.Principal{Internal: true}, nil
	}
	return i.verifier.Verify(ctx, token)
}

// speaksFor refuses a call for a user unless it comes from one of Hub's own services, without the token of a
// client beside. A hub that knows none of these services serves no users.
func (i *interceptor) speaksFor(ctx context.Context) error {
	authorization := metadata.ValueFromIncomingContext(ctx, "authorization")
	token, err := auth.Bearer(authorization)
	switch {
	case i.edges.Key.Is(token):
	case !i.edges.known():
		if err == nil {
			_, err = i.verifier.Verify(ctx, token)
		}
		if err != nil { // perhaps the key of an edge
			return fault.New(fault.Forbidden, "users are not served here")
		}
		return errNotForUsers
	case len(authorization) > 0:
		return errNotForUsers
	case i.edges.Key != nil:
		return err
	}
	return i.edges.certified(ctx)
}

var errNotForUsers = fault.New(fault.Unauthenticated, "a call for a user must not have an access token")
