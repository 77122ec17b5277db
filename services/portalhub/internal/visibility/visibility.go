// Package visibility says who sees what is not for everybody: it is a list of users, departments and roles, and
// a viewer sees what names one of her subjects.
package visibility

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/hub/pkg/field"
)

// Kinds of subjects, each with its id behind it.
const (
	User       = "user:"
	Department = "dept:" // with those below it
	Role       = "role:"
)

// MaxEntries is how many subjects a list may have.
const MaxEntries = 100

const maxBytes = 8192

// Subjects know who a viewer is.
type Subjects interface {
	// Subjects gives what a viewer is: User with her id, Department with hers and each one above it, and Role
	// with each of hers. Somebody whom the directory does not know is only a user. Its errors are faults.
	Subjects(ctx context.Context, username string) ([]string, error)
}

// Check checks a list: at most 100 subjects and 8,192 bytes.
func Check(c *field.Checks, name string, list []string) {
	c.Entries(name, len(list), MaxEntries)
	total := 0
	for i, subject := range list {
		checkSubject(c, fmt.Sprintf("%s[%d]", name, i), subject)
		total += len(subject)
	}
	if total > maxBytes {
		c.Fail(name, "must be at most %d bytes", maxBytes)
	}
}

func checkSubject(c *field.Checks, name, subject string) {
	for _, kind := range []string{User, Department, Role} {
		if id, ok := strings.CutPrefix(subject, kind); ok {
			c.ID(name, id)
			return
		}
	}
	c.Fail(name, "must be user:ID, dept:ID or role:ID")
}

// Admits tells whether a viewer with these subjects sees what has this list. An empty one is for everybody.
func Admits(list, subjects []string) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return slices.Contains(subjects, s) })
}
