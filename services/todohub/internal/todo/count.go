package todo

import (
	"context"
	"fmt"

	"example.com/hub/pkg/field"
)

// UserList is a list of a user's items. The numbers are those of the proto; 0 is none.
type UserList int32

const (
	// ToHandle has the OPEN items of type HANDLE.
	ToHandle UserList = iota + 1
	// ToRead has the OPEN items of type REVIEW.
	ToRead
	// Overdue has what of ToHandle was due before now.
	Overdue
	// Done has the CLEARED items of type HANDLE.
	Done
	// Read has the CLEARED items of type REVIEW.
	Read
)

// MaxUserLists is how many lists one request names at most.
const MaxUserLists = int(Read)

// CountRequest names a user and the lists that are counted, each as often as it likes.
type CountRequest struct {
	Username string
	Lists    []UserList
}

// Counts are the lengths of a user's lists; nil is not asked for.
type Counts struct{ ToHandle, ToRead, Overdue, Done, Read *int64 }

// Count answers how long the lists of a user are. What is overdue it says by its own clock, which the other
// times of items are from, too. Faults: Invalid; Unavailable when it took longer than the rules allow a list.
func (s *Service) Count(ctx context.Context, r CountRequest) (Counts, error) {
	p, err := r.params()
	if err != nil {
		return Counts{}, err
	}
	p.Now = field.Micro(s.now())
	return timed(ctx, s.rules, func(ctx context.Context) (Counts, error) { return s.store.Count(ctx, p) })
}

func (r *CountRequest) params() (CountParams, error) {
	const name = "lists"
	p := CountParams{AssigneeUsername: r.Username}
	var c field.Checks
	c.Username("username", r.Username, field.Required)
	if len(r.Lists) == 0 {
		c.Fail(name, "must not be empty")
	}
	c.Entries(name, len(r.Lists), MaxUserLists)
	for i, list := range r.Lists[:min(len(r.Lists), MaxUserLists)] {
		switch list {
		case ToHandle:
			p.ToHandle = true
		case ToRead:
			p.ToRead = true
		case Overdue:
			p.Overdue = true
		case Done:
			p.Done = true
		case Read:
			p.Read = true
		default:
			c.Fail(fmt.Sprintf("%s[%d]", name, i), "must be a list")
		}
	}
	return p, c.Err()
}
