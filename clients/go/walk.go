package hub

import (
	"context"
	"iter"

	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// pageSize is the page of a walk whose request has no size: the largest that Hub gives by default.
const pageSize = 200

// WalkTodos gives every todo of a list, page after page, in about the same time for each. What is stored meanwhile
// neither repeats nor hides an entry, but see Hub's docs/lists.md for sorts by modify_time. The request must have no
// page; a page_token begins in the middle. An error is the last that the loop gets.
func (c *Client) WalkTodos(ctx context.Context, r *todov1.ListTodosRequest) iter.Seq2[*todov1.Todo, error] {
	return walk(r.GetPageToken(), func(token string) ([]*todov1.Todo, string, error) {
		page := proto.CloneOf(r)
		page.PageToken = &token
		if page.Size == nil {
			page.Size = proto.Int64(pageSize)
		}
		answer, err := c.Todos.ListTodos(ctx, page)
		return answer.GetTodos(), answer.GetNextPageToken(), err
	})
}

// WalkInbox gives every record of a list of inboxes, as WalkTodos does.
func (c *Client) WalkInbox(ctx context.Context, r *messagev1.ListInboxRequest) iter.Seq2[*messagev1.InboxMessage, error] {
	return walk(r.GetPageToken(), func(token string) ([]*messagev1.InboxMessage, string, error) {
		page := proto.CloneOf(r)
		page.PageToken = &token
		if page.Size == nil {
			page.Size = proto.Int64(pageSize)
		}
		answer, err := c.Messages.ListInbox(ctx, page)
		return answer.GetMessages(), answer.GetNextPageToken(), err
	})
}

// walk gives the entries of the pages from a token on; list gives a page and the token of the next one.
func walk[E any](token string, list func(token string) ([]E, string, error)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for {
			page, next, err := list(token)
			if err != nil {
				var none E
				yield(none, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			token = next
		}
	}
}
