package people

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// Outcome says whether a person may come in. The numbers are those of the proto.
type Outcome int32

// The outcomes of a login.
const (
	Admitted Outcome = iota + 1
	Inactive
	Unknown
	// OtherSubject is somebody with the username of another person.
	OtherSubject
)

// LogInRequest is what a provider tells of a person.
type LogInRequest struct {
	Username, Issuer, Subject string
	// Name and Email are left out where they cannot be stored.
	Name, Email string
}

// LogIn notes the login of a person, and gives her as she is then where she is admitted. Faults: Invalid.
func (s *Service) LogIn(ctx context.Context, r LogInRequest) (Outcome, Member, error) {
	var c field.Checks
	c.Username("username", r.Username, field.Required)
	c.Text("issuer", r.Issuer, field.MaxURL, field.Required)
	c.Text("subject", r.Subject, field.MaxID, field.Required)
	if err := c.Err(); err != nil {
		return 0, Member{}, err
	}
	admitted, err := s.store.LogInPerson(ctx, LogInParams{
		Stamp:    s.stamp(auth.Principal{User: r.Username}.Name()),
		Username: r.Username, Issuer: r.Issuer, Subject: r.Subject,
		Name: shown(r.Name), Email: address(r.Email), Create: s.rules.CreateAtLogin,
	})
	if err != nil {
		return 0, Member{}, err
	}
	who, err := s.store.GetPerson(ctx, r.Username)
	switch {
	case errors.Is(err, ErrUnknown):
		return Unknown, Member{}, nil
	case err != nil:
		return 0, Member{}, err
	case admitted:
		return Admitted, who, nil
	case who.Subject != "" && (who.Subject != r.Subject || who.Issuer != r.Issuer):
		return OtherSubject, Member{}, nil
	default:
		return Inactive, Member{}, nil
	}
}

// shown is a name as far as it can be stored.
func shown(name string) string {
	var c field.Checks
	if c.Text("name", name, MaxName, field.Optional); c.Err() == nil {
		return name
	}
	if cut := []rune(name); len(cut) > MaxName {
		return shown(string(cut[:MaxName]))
	}
	return ""
}

// address is an email that can be stored.
func address(email string) string {
	if !isEmail(email) || !utf8.ValidString(email) {
		return ""
	}
	return email
}

// ErrUnknown is the fault of a username that nobody has.
var ErrUnknown error = fault.New(fault.NotFound, "the person is not known")

// Get tells of a person. Faults: Invalid; ErrUnknown.
func (s *Service) Get(ctx context.Context, username string) (Member, error) {
	var c field.Checks
	if c.Username("username", username, field.Required); c.Err() != nil {
		return Member{}, c.Err()
	}
	return s.store.GetPerson(ctx, username)
}

// Standing tells whether somebody who logged in may stay, and gives the ids of her roles. Who is unknown may,
// where a login would make her known.
func (s *Service) Standing(ctx context.Context, username string) (active bool, roles []string, err error) {
	who, err := s.store.GetPerson(ctx, username)
	if errors.Is(err, ErrUnknown) {
		return s.rules.CreateAtLogin, nil, nil
	}
	return who.Active, who.Roles, err
}

// Resolve gives the username of each user id, in order, and "" for one that is not known. Faults: Invalid.
func (s *Service) Resolve(ctx context.Context, userIDs []string) ([]string, error) {
	var c field.Checks
	if len(userIDs) == 0 {
		c.Fail("user_ids", "must not be empty")
	}
	if c.Entries("user_ids", len(userIDs), MaxResolve); c.Err() != nil {
		return nil, c.Err()
	}
	// No id has a NUL, which a database may not take.
	asked := slices.DeleteFunc(slices.Clone(userIDs), func(id string) bool { return strings.ContainsRune(id, 0) })
	known, err := s.store.ResolveUsers(ctx, asked)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(userIDs))
	for i, id := range userIDs {
		names[i] = known[id]
	}
	return names, nil
}
