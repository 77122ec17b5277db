package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/internal/shape"
	"example.com/hub/services/edge/internal/topic"
)

// Reader fills the message of a call. Its errors are for the caller.
type Reader func(r *Request, message any) error

// Reads makes a Reader for the message of one call.
func Reads[M any](read func(*Request, *M) error) Reader {
	return func(r *Request, message any) error {
		m, ok := message.(*M)
		if !ok {
			return errUnmapped(message)
		}
		return read(r, m)
	}
}

// Request is what a Reader reads. It reads parameters and keeps the first fault.
//
// Only a parameter that stands twice is an error here, the first one that is read: the order of the
// contract's table. A value that the message cannot hold (a word for a number, an unknown sort) is
// replaced by one that the hub refuses, so that the hub reports all faulty values in that order.
type Request struct {
	principal auth.Principal

	query url.Values
	body  []byte
	fault error
	// size is the page size that is asked for, and more the time that the call gets on top of others.
	size *int64
	more time.Duration
	// record is the largest record of the answer in bytes, where the list of the endpoint has smaller ones.
	record int64
	// kept is what the reader keeps for the writer.
	kept any
	// navigates says that a browser is to show the answer as a page.
	navigates bool
	// before, where it is not nil, asks the directory once the request is read. Its errors are those of a call.
	before func(ctx context.Context, l *limits) error
	// audited are the ids in the body of an administrator's call, by their names.
	audited []slog.Attr
	// walk says that a list is asked for by a cursor, and extended that its reader asked whether it is.
	walk, extended bool
}

// Larger says that records of the answer may take as many bytes, which is more than Endpoint.MaxRecord.
func (r *Request) Larger(record int64) { r.record = record }

// Keep hands something on to the Writer of the answer.
func (r *Request) Keep(v any) { r.kept = v }

// More gives the call more time than others have.
func (r *Request) More(d time.Duration) { r.more = d }

// Optional gives a parameter, or nil when it is not there; empty is not the same as absent.
func (r *Request) Optional(name string) *string {
	values := r.query[name]
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 && r.fault == nil {
		r.fault = fmt.Errorf("%s must not be repeated", name)
	}
	return &values[0]
}

// Username gives the parameter that names the user whose things are asked for; field is its name in faults.
// A client may name anyone, and the hub judges that. A user may leave it out and means herself, or name
// herself; of what is not hers the fault is of kind Forbidden.
func (r *Request) Username(name, field string) *string {
	value, err := r.Self(field, r.Optional(name))
	if r.fault == nil {
		r.fault = err
	}
	return value
}

// Self is Username for a name that the request has elsewhere; nil is none.
func (r *Request) Self(field string, value *string) (*string, error) {
	if r.principal.User == "" {
		return value, nil
	}
	if value == nil {
		own := r.principal.User // r is used again, and the message may outlive it
		return &own, nil
	}
	return value, ownName(field, *value, r.principal.User)
}

// ownName gives the fault of a name by which a user calls.
func ownName(name, value, user string) error {
	var c field.Checks
	if c.Username(name, value, field.Required); c.Err() != nil {
		return c.Err()
	}
	if value != user {
		return auth.ErrOthers
	}
	return nil
}

// Topics gives what a stream is asked for; without the parameter that is the inbox.
func (r *Request) Topics() topic.Set {
	text := r.Optional("topics")
	if text == nil {
		return topic.Inbox
	}
	s, err := topic.Parse(*text)
	r.fault = cmp.Or(r.fault, err)
	return s
}

// Own gives the username of the caller, or "" for a client.
func (r *Request) Own() string { return r.principal.User }

// Navigates tells whether a browser asks, to show the answer as a page.
func (r *Request) Navigates() bool { return r.navigates }

// Walk gives the cursor of a list that has no pages by numbers, which is empty for the start, and the size of
// a page as Page does.
func (r *Request) Walk() (token string, size *int64) {
	r.walk = true
	if r.Text("page") != "" && r.fault == nil {
		r.fault = errors.New("page must not stand beside a cursor")
	}
	r.size = r.Integer("size", 0)
	return r.Text("cursor"), r.size
}

// Text gives a parameter, or "" when it is empty or not there.
func (r *Request) Text(name string) string {
	if value := r.Optional(name); value != nil {
		return *value
	}
	return ""
}

// Cursor gives the parameter by which a list is walked, or nil. It counts where it is empty, for the start
// of the list, or begins as the hubs' tokens do; a client may have sent any other before there were cursors.
func (r *Request) Cursor() *string {
	token := r.counted("cursor", func(value string) bool { return value == "" || strings.HasPrefix(value, cursor.Prefix) })
	r.walk = token != nil
	return token
}

// Extended tells whether the request is extended, as those are that come from a user, walk a list, or ask for
// view=full: it may use words in any case of letters, and the records of its answer have all members. A list's
// Cursor is read before.
func (r *Request) Extended() bool {
	full := r.Full()
	r.extended = r.principal.User != "" || r.walk || full
	return r.extended
}

// Full tells whether the request asks for view=full.
func (r *Request) Full() bool {
	return r.counted("view", func(value string) bool { return value == "full" }) != nil
}

// counted is Optional for a parameter that the contract does not have: without a value that counts, it is
// not there.
func (r *Request) counted(name string, counts func(value string) bool) *string {
	if !slices.ContainsFunc(r.query[name], counts) {
		return nil
	}
	return r.Optional(name)
}

// Page gives the paging parameters; nil is the default. No hub accepts a page of -1 or a size of 0.
func (r *Request) Page() (page, size *int64) {
	page, r.size = r.Integer("page", -1), r.Integer("size", 0)
	return page, r.size
}

// Integer gives a parameter of decimal digits. Any other text gives bad, and a number beyond int64
// the largest one, which is past the end of any list and above any limit.
func (r *Request) Integer(name string, bad int64) *int64 {
	text := r.Text(name)
	if text == "" {
		return nil
	}
	if strings.Trim(text, "0123456789") != "" {
		return &bad
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return &n
}

// Sort reads "<field>" or "<field>,<direction>" (contract, Paging parameters); ok is false when there
// is none. The direction is asc, the default, or desc, in any case of letters.
func Sort[E ~int32](r *Request, fields shape.Words[E]) (field E, descending, ok bool) {
	text := r.Text("sort")
	if text == "" {
		return 0, false, false
	}
	name, direction, given := strings.Cut(text, ",")
	field = fields.Parse(name, false)
	descending = strings.EqualFold(direction, "desc")
	if field == 0 || given && !descending && !strings.EqualFold(direction, "asc") {
		field = shape.Unknown
	}
	return field, descending, true
}
