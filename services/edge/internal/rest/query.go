package rest

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// queryParser fills the messages of the calls that take query parameters.
//
// Only a parameter that stands twice is an error here, the first one in the order of the contract's
// table. A value that the message cannot hold
// (a word for a number, an unknown sort) is replaced by one that the hub refuses, so that the hub
// reports all faulty values in the order of the table.
type queryParser struct{}

// Parse implements runtime.QueryParameterParser. The filter names what the path has set, which no
// parameter below can.
func (queryParser) Parse(message proto.Message, values url.Values, _ *utilities.DoubleArray) error {
	q := query{values: values}
	switch m := message.(type) {
	case *todov1.ListTodosRequest:
		m.AssigneeUsername = q.optional("assigneeUsername")
		m.Status = todoStatuses.parse(q.text("status"))
		m.Type = todoTypes.parse(q.text("type"))
		m.Page, m.Size = q.page()
		if field, descending, ok := sorting(&q, todoSortFields); ok {
			m.Sort = &todov1.TodoSort{Field: field, Descending: descending}
		}
	case *todov1.InvalidateTodoRequest:
		m.Reason = q.text("reason")
	case *messagev1.ListInboxRequest:
		m.Username = q.optional("username")
		m.Status = messageStatuses.parse(q.text("status"))
		m.SourceAppId = q.text("sourceAppId")
		m.SourceMessageId = q.text("sourceMessageId")
		m.Page, m.Size = q.page()
		if field, descending, ok := sorting(&q, inboxSortFields); ok {
			m.Sort = &messagev1.InboxSort{Field: field, Descending: descending}
		}
	case *messagev1.CountUnreadRequest:
		m.Username = q.text("username")
	case *messagev1.MarkReadRequest:
		m.Username = q.text("username")
	default:
		return errUnmapped(message)
	}
	return q.err
}

// query reads known parameters and keeps the first fault.
type query struct {
	values url.Values
	err    error
}

// optional gives a parameter, or nil when it is not there; empty is not the same as absent.
func (q *query) optional(name string) *string {
	values := q.values[name]
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 && q.err == nil {
		q.err = fmt.Errorf("%s must not be repeated", name)
	}
	return &values[0]
}

// text gives a parameter, or "" when it is empty or not there.
func (q *query) text(name string) string {
	if value := q.optional(name); value != nil {
		return *value
	}
	return ""
}

// page gives the paging parameters; nil is the default. No hub accepts a page of -1 or a size of 0.
func (q *query) page() (page, size *int64) {
	return q.integer("page", -1), q.integer("size", 0)
}

// integer gives a parameter of decimal digits. Any other text gives bad, and a number beyond int64
// the largest one, which is past the end of any list and above any limit.
func (q *query) integer(name string, bad int64) *int64 {
	text := q.text(name)
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

// sorting reads "<field>" or "<field>,<direction>" (contract, Paging parameters); ok is false when
// there is none. The direction is asc, the default, or desc, in any case of letters.
func sorting[E ~int32](q *query, fields vocabulary[E]) (field E, descending, ok bool) {
	text := q.text("sort")
	if text == "" {
		return 0, false, false
	}
	name, direction, given := strings.Cut(text, ",")
	field = fields.parse(name)
	descending = strings.EqualFold(direction, "desc")
	if field == 0 || given && !descending && !strings.EqualFold(direction, "asc") {
		field = unknown
	}
	return field, descending, true
}
