package people

import (
	"cmp"
	"context"
	"slices"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// UserResult is what became of a person of a feed.
type UserResult struct {
	UserID string
	// Err is why she was refused: a fault of kind Invalid or Conflict.
	Err error
}

func (e *Entry) check() error {
	var c field.Checks
	c.ID("user_id", e.UserID)
	c.Username("username", e.Username, field.Required)
	c.Text("name", e.Name, MaxName, field.Optional)
	checkEmail(&c, "email", e.Email)
	optionalID(&c, "dept_id", e.DeptID)
	return c.Err()
}

// UpsertUsers stores each person of a feed, in order, and gives a result for each. Faults: Invalid for the
// number of entries. A fault that is not an entry's own ends the call, of which a part may be stored then; it
// may be repeated.
func (s *Service) UpsertUsers(ctx context.Context, client string, entries []Entry) ([]UserResult, error) {
	var c field.Checks
	if len(entries) == 0 {
		c.Fail("users", "must not be empty")
	}
	if c.Entries("users", len(entries), field.MaxBatch); c.Err() != nil {
		return nil, c.Err()
	}
	results := make([]UserResult, len(entries))
	for i := range entries {
		results[i] = UserResult{UserID: entries[i].UserID, Err: entries[i].check()}
	}
	st := s.stamp(client)
	done, err := s.upsertFirst(ctx, st, entries, results)
	for i := 0; err == nil && i < len(entries); i++ {
		if results[i].Err == nil && !done[entries[i]] {
			err = s.upsertUser(ctx, st, entries[i])
			if fault.KindOf(err) == fault.Conflict {
				results[i].Err, err = err, nil
			}
		}
	}
	s.auditUsers(ctx, client, results, err)
	if err != nil {
		return nil, err
	}
	return results, nil
}

// upsertFirst stores the valid entries that share neither id nor username with an entry before, all at once,
// and tells which it has stored.
func (s *Service) upsertFirst(
	ctx context.Context, st Stamp, entries []Entry, results []UserResult,
) (done map[Entry]bool, err error) {
	var first []Entry
	ids, names := map[string]bool{}, map[string]bool{}
	for i, e := range entries {
		if results[i].Err != nil {
			continue
		}
		if !ids[e.UserID] && !names[e.Username] {
			first = append(first, e)
		}
		ids[e.UserID], names[e.Username] = true, true
	}
	if len(first) < 2 {
		return nil, nil
	}
	slices.SortFunc(first, func(a, b Entry) int { return cmp.Compare(a.Username, b.Username) })
	stored, err := s.store.UpsertPeople(ctx, st, first)
	if err != nil {
		return nil, err
	}
	done = map[Entry]bool{}
	for _, e := range first {
		done[e] = stored[e.Username]
	}
	return done, nil
}

// errLinked refuses a second username for a user id, and a second id for a username.
var errLinked error = fault.New(fault.Conflict, "the user id and the username do not belong together: one of them is linked to another one")

func (s *Service) upsertUser(ctx context.Context, st Stamp, e Entry) error {
	stored, err := s.store.UpsertPeople(ctx, st, []Entry{e})
	if err == nil && !stored[e.Username] {
		return errLinked
	}
	return err
}

// auditUsers logs what a feed told, also when it ended before its end.
func (s *Service) auditUsers(ctx context.Context, client string, results []UserResult, err error) {
	var ids []string
	for _, r := range results {
		if r.Err == nil {
			ids = append(ids, r.UserID)
		}
	}
	s.audit.InfoContext(ctx, "users told", "client", client, "user_ids", ids, "refused", len(results)-len(ids), "complete", err == nil)
}
