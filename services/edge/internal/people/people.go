// Package people knows the users: those of the directory, or without one those who have logged in.
package people

import (
	"context"
	"sync"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/login"
)

// Person is a user, as the directory knows her, or else as her provider told of her at her last login.
type Person struct {
	Username string
	// UserID and DeptID are ids of the directory, empty where it does not know them.
	UserID, DeptID string
	// Name and Email may be empty.
	Name, Email string
	// Claims are the roles that the provider named at her last login, and Roles the ids of hers in the directory.
	Claims, Roles []string
}

// Memory knows the people of one edge, since its start.
type Memory struct {
	mu    sync.Mutex
	known map[string]known // by username
}

// known is a person, whose issuer and subject stay those of her first login.
type known struct {
	Person
	issuer, subject string
}

// NewMemory makes one that knows nobody.
func NewMemory() *Memory { return &Memory{known: map[string]known{}} }

// errOtherSubject refuses who has the username of somebody else.
var errOtherSubject error = fault.Wrap(fault.Forbidden, "the username is that of another person", login.ErrOtherSubject)

// LogIn notes the login of a person. The error is a fault of kind Forbidden, with the cause
// login.ErrOtherSubject, when her username is that of somebody else: providers may give the name of a person
// who has left to the next one.
func (m *Memory) LogIn(_ context.Context, who token.Identity) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k, ok := m.known[who.Username]; ok && (k.issuer != who.Issuer || k.subject != who.Subject) {
		return errOtherSubject
	}
	m.known[who.Username] = known{
		Person: Person{Username: who.Username, Name: who.Name, Email: who.Email, Claims: who.Roles},
		issuer: who.Issuer, subject: who.Subject,
	}
	return nil
}

// Find gives a person; ok is false for who has not logged in here.
func (m *Memory) Find(_ context.Context, username string) (p Person, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.known[username]
	return k.Person, ok, nil
}
