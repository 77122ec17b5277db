package grpcserver_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/tlsfiles/tlstest"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// methods of the tests, by who may call them.
const (
	forAll      = todov1.TodoService_ListTodos_FullMethodName      // clients and users
	forClients  = todov1.TodoService_UpsertTodo_FullMethodName     // clients
	forEdges    = todov1.TodoService_ClearTodo_FullMethodName      // Hub's own services
	forManagers = todov1.TodoService_InvalidateTodo_FullMethodName // users with the permission todos
)

// served are options of a server whose methods are for different callers.
func served(t *testing.T, names []string, key bool) grpcserver.Options {
	t.Helper()
	o := guarded(t, names, key)
	o.Policy = auth.Policy{
		forAll:      {Scope: auth.ScopeClient, User: true},
		forClients:  {Scope: auth.ScopeClient},
		forEdges:    {Internal: true},
		forManagers: {Permission: "todos"},
	}
	return o
}

// reached stands for a call that was let in; one that is answered counts as such.
const reached = codes.Unimplemented

// calling is a call's metadata, and the codes that it gets.
type calling struct {
	name          string
	authorization []string
	user          []string
	permissions   []string
	all, clients  codes.Code
	edges         codes.Code
	managers      codes.Code
}

const (
	no = codes.Unauthenticated
	ov = codes.PermissionDenied // forbidden
)

func checkCalls(t *testing.T, c todov1.TodoServiceClient, calls []calling) {
	t.Helper()
	for _, tt := range calls {
		md := metadata.MD{"authorization": tt.authorization, "hub-user": tt.user, "hub-permissions": tt.permissions}
		ctx := metadata.NewOutgoingContext(t.Context(), md)
		for method, want := range map[string]codes.Code{
			forAll: tt.all, forClients: tt.clients, forEdges: tt.edges, forManagers: tt.managers,
		} {
			got := status.Code(invoke(ctx, c, method))
			if got == codes.OK {
				got = reached
			}
			if got != want {
				t.Errorf("%s: %s gives %v, want %v", tt.name, method, got, want)
			}
		}
	}
}

func invoke(ctx context.Context, client todov1.TodoServiceClient, method string) error {
	var err error
	switch method {
	case forAll:
		_, err = client.ListTodos(ctx, &todov1.ListTodosRequest{})
	case forClients:
		_, err = client.UpsertTodo(ctx, &todov1.UpsertTodoRequest{})
	case forEdges:
		_, err = client.ClearTodo(ctx, &todov1.ClearTodoRequest{})
	case forManagers:
		_, err = client.InvalidateTodo(ctx, &todov1.InvalidateTodoRequest{})
	}
	return err
}

var (
	asClient = []string{"Bearer good"}
	asEdge   = []string{"Bearer " + internalKey}
	amy      = []string{"amy"}
	manager  = []string{"apps,todos"}
)

// everywhere are calls that a server answers alike, whatever it knows its edges by.
var everywhere = []calling{
	{"nobody", nil, nil, nil, no, no, no, no},
	{"a client", asClient, nil, nil, reached, reached, ov, ov},
	{"a client that names a user", asClient, amy, nil, no, no, no, no},
	{"a client that names an empty user", asClient, []string{""}, nil, no, no, no, no},
	{"a client that names permissions", asClient, nil, manager, no, no, no, no},
	{"a client that names both", asClient, amy, manager, no, no, no, no},
	{"a user twice", asEdge, []string{"amy", "ben"}, nil, no, no, no, no},
	{"a user that is no name", asEdge, []string{"%0A"}, nil, no, no, no, no},
	{"permissions twice", asEdge, amy, []string{"todos", "todos"}, no, no, no, no},
	{"permissions of nobody", asEdge, nil, manager, no, no, no, no},
}

func TestEdgesSpeakForUsersByTheKey(t *testing.T) {
	calls := append([]calling{
		{"an edge", asEdge, nil, nil, ov, ov, reached, ov},
		{"a user", asEdge, amy, nil, reached, ov, ov, ov},
		{"a user with permissions", asEdge, amy, manager, reached, ov, ov, reached},
		{"a user with other permissions", asEdge, amy, []string{"todo"}, reached, ov, ov, ov},
		{"a user without the key", nil, amy, nil, no, no, no, no},
		{"a user with a wrong key", []string{"Bearer " + internalKey + "k"}, amy, nil, no, no, no, no},
		{"a user with two keys", []string{asEdge[0], asEdge[0]}, amy, nil, no, no, no, no},
		{"a user with the key and a token", []string{asEdge[0], asClient[0]}, amy, nil, no, no, no, no},
		{"a user with a token and the key", []string{asClient[0], asEdge[0]}, amy, nil, no, no, no, no},
	}, everywhere...)
	o := served(t, nil, true)
	listening, local := grpcserver.New(o), grpcserver.NewLocal(o)
	todov1.RegisterTodoServiceServer(listening, &todov1.UnimplementedTodoServiceServer{})
	todov1.RegisterTodoServiceServer(local, &todov1.UnimplementedTodoServiceServer{})
	t.Run("listening", func(t *testing.T) { checkCalls(t, todov1.NewTodoServiceClient(dial(t, listening)), calls) })
	t.Run("local", func(t *testing.T) { checkCalls(t, todov1.NewTodoServiceClient(local), calls) })
}

func TestTheLogNamesNoUserWhomAnybodyClaimsToBe(t *testing.T) {
	o := served(t, nil, true)
	l := &logs{}
	o.Logger = log.New(l, log.Config{Format: "json", Level: slog.LevelDebug})
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, &todov1.UnimplementedTodoServiceServer{})
	c := todov1.NewTodoServiceClient(dial(t, s))
	for _, authorization := range [][]string{nil, asClient, {"Bearer guessed"}} {
		md := metadata.MD{"authorization": authorization, "hub-user": amy}
		if got := status.Code(invoke(metadata.NewOutgoingContext(t.Context(), md), c, forAll)); got != no {
			t.Errorf("%s: %v, want %v", authorization, got, no)
		}
	}
	if got := l.String(); strings.Count(got, `"client_id":""`) != 3 || strings.Contains(got, "amy") {
		t.Errorf("the log is %s", got)
	}
}

func TestUsersAreNotServedWhereNoEdgeIsKnown(t *testing.T) {
	calls := append([]calling{
		{"what an edge sends", asEdge, amy, manager, ov, ov, ov, ov},
		{"a user with nothing", nil, amy, nil, ov, ov, ov, ov},
		{"an edge", asEdge, nil, nil, no, no, no, no},
	}, everywhere...)
	s := grpcserver.New(served(t, nil, false))
	todov1.RegisterTodoServiceServer(s, &todov1.UnimplementedTodoServiceServer{})
	checkCalls(t, todov1.NewTodoServiceClient(dial(t, s)), calls)
}

func TestEdgesSpeakForUsersByTheirCertificate(t *testing.T) {
	authority := tlstest.New(t)
	edge, other := authority.Issue(t, "edge.test"), authority.Issue(t, "other.test")
	names := []string{"edge.test"}

	// Of a call for edges only, the certificate is looked at before anything else.
	alone := serveTLS(t, authority, served(t, names, false))
	checkCalls(t, alone(&edge), []calling{
		{"an edge", nil, nil, nil, no, no, reached, no},
		{"a user", nil, amy, nil, reached, ov, ov, ov},
		{"a user with permissions", nil, amy, manager, reached, ov, ov, reached},
		{"a client", asClient, nil, nil, reached, reached, reached, ov},
		{"a client that names a user", asClient, amy, nil, no, no, no, no},
		{"a key that is not known", asEdge, amy, nil, no, no, no, no},
		{"a user twice", nil, []string{"amy", "amy"}, nil, no, no, no, no},
	})
	checkCalls(t, alone(&other), []calling{
		{"a user from elsewhere", nil, amy, manager, ov, ov, ov, ov},
		{"a client", asClient, nil, nil, reached, reached, ov, ov},
		{"a client that names a user from elsewhere", asClient, amy, nil, no, no, no, no},
	})
	checkCalls(t, alone(nil), []calling{
		{"a user without a certificate", nil, amy, manager, no, no, no, no},
		{"a client that names a user without a certificate", asClient, amy, nil, no, no, no, no},
	})

	both := serveTLS(t, authority, served(t, names, true))
	checkCalls(t, both(&edge), append([]calling{
		{"a user by both", asEdge, amy, manager, reached, ov, ov, reached},
		{"a user by the certificate", nil, amy, manager, no, no, no, no},
	}, everywhere...))
	checkCalls(t, both(&other), []calling{{"a user by the key", asEdge, amy, manager, ov, ov, ov, ov}})
	checkCalls(t, both(nil), []calling{{"a user by the key alone", asEdge, amy, manager, no, no, no, no}})
}
