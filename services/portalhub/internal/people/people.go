// Package people is the directory: people, departments and roles as a feed tells of them, and the people who
// log in. It decides what a request may hold; a Store keeps what is valid.
package people

import "time"

// Origin says where a person comes from. The numbers are those of the proto.
type Origin int32

// A person of Feed has a user id, and one of Login has none yet.
const (
	Feed Origin = iota + 1
	Login
)

// Entry is what a feed tells of a person.
type Entry struct {
	// UserID and Username belong together for ever.
	UserID, Username string
	// Name, Email and DeptID may be empty.
	Name, Email, DeptID string
	Active              bool
}

// Audit says who created and last changed a record, and when, in microseconds.
type Audit struct {
	CreateTime, ModifyTime time.Time
	CreatorID, ModifierID  string
}

// Person is somebody whom a feed or a login has made known. The UserID of one of Login is empty.
type Person struct {
	Entry
	Audit
	Origin Origin
}

// Member is a person with what she belongs to.
type Member struct {
	Person
	// Issuer and Subject are those of her first login, empty before.
	Issuer, Subject string
	// Claims are the roles that her provider named at her last login, while that is known.
	Claims []string
	// Roles are ids, sorted.
	Roles []string
	// Departments are the ids of hers and of those above it, from hers on.
	Departments []string
}

// Department is a part of the company.
type Department struct {
	ID string
	// ParentID is the department above it, empty for none. It need not be known.
	ParentID, Name string
	Audit
}

// MaxDepth is how many departments may stand above each other.
const MaxDepth = 16
