package auth

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/hub/pkg/fault"
)

// Principal is who makes a call: a client, or a user, or Hub's own services. Exactly one of Client, User
// and Internal is set.
type Principal struct {
	// Client is the id of a client, the source system and source app of whatever it writes; 1 to 128
	// characters.
	Client string
	// Scopes are those of the client's token, each an exact name.
	Scopes []string
	// User is the username of a user.
	User string
	// Permissions are what the user may do beyond her own things, each an exact name.
	Permissions []string
	// Session is the id of the user's session, or empty where she came with a token.
	Session string
	// Internal is set for a call of Hub's own services that is for nobody else.
	Internal bool
	// TokenID is the token's jti for logs, or empty.
	TokenID string
	// Expires is when the token ends, or the zero time.
	Expires time.Time
}

// Names of principals in records, logs and limits.
const (
	internalName = "hub internal"
	userPrefix   = "user:"
)

// Name is what records, logs and limits call the principal: the id of a client, user:USERNAME for a user.
func (p Principal) Name() string {
	switch {
	case p.User != "":
		return userPrefix + p.User
	case p.Internal:
		return internalName
	default:
		return p.Client
	}
}

// HasScope tells whether the token carries exactly this scope.
func (p Principal) HasScope(scope string) bool { return slices.Contains(p.Scopes, scope) }

type principalKey struct{}

// With returns a context that carries the principal of a call.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From gives the principal of a call; ok is false on a call that anyone may make.
func From(ctx context.Context) (p Principal, ok bool) {
	p, ok = ctx.Value(principalKey{}).(Principal)
	return p, ok
}

// Require gives the principal of a call that needs one. The error is a fault of kind Unauthenticated.
func Require(ctx context.Context) (Principal, error) {
	p, ok := From(ctx)
	if !ok {
		return Principal{}, fault.New(fault.Unauthenticated, "an access token is required")
	}
	return p, nil
}

// RequireFor is Require for a call about the things of one user: a user may only call for herself, and must
// be named. Otherwise the error is a fault of kind Forbidden.
func RequireFor(ctx context.Context, username *string) (Principal, error) {
	p, err := Require(ctx)
	if err == nil && p.User != "" && (username == nil || *username != p.User) {
		return Principal{}, ErrOthers
	}
	return p, err
}

// ErrOthers refuses what a user wants of somebody else.
var ErrOthers error = fault.New(fault.Forbidden, "a user may only call for herself")

// Called gives what people call a principal with a Name: a user by her username, where there are users.
func Called(name string) string { return strings.TrimPrefix(name, userPrefix) }

// Reserved tells whether a client id looks like the name of a user. Where there are users no client has such
// an id.
func Reserved(clientID string) bool { return strings.HasPrefix(clientID, userPrefix) }

const maxClientID = 128 // characters

// ValidClientID tells whether id can be the source of a record: 1 to 128 characters, not only
// blanks, and none that is unreadable.
func ValidClientID(id string) bool {
	return strings.TrimSpace(id) != "" && utf8.RuneCountInString(id) <= maxClientID &&
		!strings.ContainsFunc(id, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) })
}

// ValidScope tells whether s is a scope-token (RFC 6749 section 3.3).
func ValidScope(s string) bool {
	for _, r := range []byte(s) {
		if r <= ' ' || r > '~' || r == '"' || r == '\\' {
			return false
		}
	}
	return s != ""
}
