// Package counts is how many todos and messages wait for a user: one answer, from both hubs.
package counts

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// list is one that can be counted.
type list struct {
	name string
	// todos is its number at todohub, and 0 for that of messagehub.
	todos todov1.TodoList
	// count is its length in the answer of todohub.
	count func(*todov1.CountTodosResponse) int64
	// usual says that it is counted where the caller names none.
	usual bool
}

// lists are all that there are, in the order of the answer.
var lists = []list{
	{"toHandle", todov1.TodoList_TODO_LIST_TO_HANDLE, (*todov1.CountTodosResponse).GetToHandle, true},
	{"toRead", todov1.TodoList_TODO_LIST_TO_READ, (*todov1.CountTodosResponse).GetToRead, true},
	{"overdue", todov1.TodoList_TODO_LIST_OVERDUE, (*todov1.CountTodosResponse).GetOverdue, true},
	{"unread", 0, nil, true},
	{"done", todov1.TodoList_TODO_LIST_DONE, (*todov1.CountTodosResponse).GetDone, false},
	{"read", todov1.TodoList_TODO_LIST_READ, (*todov1.CountTodosResponse).GetRead, false},
}

var errLists = errors.New("lists must be some of toHandle, toRead, overdue, unread, done, read, with commas between them")

// Area is what is counted of both hubs.
func Area(todos, messages grpc.ClientConnInterface) rest.Area {
	c := counter{todov1.NewTodoServiceClient(todos), messagev1.NewMessageServiceClient(messages)}
	return rest.Area{Endpoints: []rest.Endpoint{{
		Method: http.MethodGet, Path: "/counts", Rule: auth.Rule{Scope: auth.ScopeClient, User: true}, Join: c.read,
	}}}
}

type counter struct {
	todos    todov1.TodoServiceClient
	messages messagev1.MessageServiceClient
}

// read is a rest.Joiner.
func (c counter) read(r *rest.Request) (rest.Join, error) {
	var username string
	if name := r.Username("username", "username"); name != nil {
		username = *name
	}
	chosen, err := choose(r.Text("lists"))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]byte, metadata.MD, error) { return c.count(ctx, username, chosen) }, nil
}

// choose gives the lists that a text names.
func choose(text string) (chosen []list, err error) {
	if text == "" {
		return slices.DeleteFunc(slices.Clone(lists), func(l list) bool { return !l.usual }), nil
	}
	words := strings.Split(text, ",")
	for _, word := range words {
		if !slices.ContainsFunc(lists, func(l list) bool { return l.name == word }) {
			return nil, errLists
		}
	}
	return slices.DeleteFunc(slices.Clone(lists), func(l list) bool { return !slices.Contains(words, l.name) }), nil
}

// count asks the hubs at the same time, each once at most.
func (c counter) count(ctx context.Context, username string, chosen []list) (data []byte, sent metadata.MD, err error) {
	var todos *todov1.CountTodosResponse
	var unread *messagev1.CountUnreadResponse
	var ofTodos, ofMessages metadata.MD
	asked := todosOf(chosen)
	calls, ctx := errgroup.WithContext(ctx)
	if len(asked) > 0 {
		calls.Go(func() (err error) {
			todos, err = c.todos.CountTodos(ctx, &todov1.CountTodosRequest{Username: username, Lists: asked}, grpc.Header(&ofTodos))
			return err
		})
	}
	if len(asked) < len(chosen) {
		calls.Go(func() (err error) {
			unread, err = c.messages.CountUnread(ctx, &messagev1.CountUnreadRequest{Username: username}, grpc.Header(&ofMessages))
			return err
		})
	}
	err = calls.Wait()
	sent = metadata.Join(ofTodos, ofMessages)
	if err != nil {
		return nil, sent, whole(err)
	}
	data = []byte{'{'}
	for i, l := range chosen {
		if i > 0 {
			data = append(data, ',')
		}
		n := unread.GetCount()
		if l.todos != 0 {
			n = l.count(todos)
		}
		data = strconv.AppendInt(append(data, `"`+l.name+`":`...), n, 10)
	}
	return append(data, '}'), sent, nil
}

func todosOf(chosen []list) (todos []todov1.TodoList) {
	for _, l := range chosen {
		if l.todos != 0 {
			todos = append(todos, l.todos)
		}
	}
	return todos
}

// whole makes the error of a hub that is too slow, or of an earlier version, the same as that of one that is
// away: the counts are there or they are not.
func whole(err error) error {
	switch st := status.Convert(err); st.Code() {
	case codes.DeadlineExceeded, codes.Unimplemented:
		return status.Error(codes.Unavailable, st.Message())
	default:
		return err
	}
}
