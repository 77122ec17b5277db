package grpcserver_test

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

var internalKey = strings.Repeat("k", 40)

// guarded are options of a server one of whose methods is internal.
func guarded(t *testing.T, names []string, token bool) grpcserver.Options {
	t.Helper()
	o, _ := options()
	o.Edges.Names = names
	if token {
		o.Edges.Key = newKey(t)
	}
	o.Policy = auth.Policy{
		todov1.TodoService_UpsertTodo_FullMethodName: {Internal: true},
		todov1.TodoService_ClearTodo_FullMethodName:  {Scope: auth.ScopeClient},
	}
	return o
}

// serveTLS serves s and gives a way to connect with a certificate, or without.
func serveTLS(t *testing.T, authority *tlstest.Authority, o grpcserver.Options) func(*tlstest.Pair) todov1.TodoServiceClient {
	t.Helper()
	secret := tlstest.MountPair(t, authority.Issue(t, "hub.test"), authority.PEM())
	files, err := tlsfiles.HubSettings{
		ListenerSettings: tlsfiles.ListenerSettings{CertFile: secret.Path("tls.crt"), KeyFile: secret.Path("tls.key")},
		ClientCAFile:     secret.Path("ca.crt"),
	}.Open(o.Logger)
	if err != nil {
		t.Fatal(err)
	}
	o.Server = files.GRPC()
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Stop(t.Context()) // which has ended
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return func(p *tlstest.Pair) todov1.TodoServiceClient {
		config := &tls.Config{RootCAs: authority.Pool(), ServerName: "hub.test"}
		if p != nil {
			pair, err := tls.X509KeyPair(p.Cert, p.Key)
			if err != nil {
				t.Fatal(err)
			}
			config.Certificates = []tls.Certificate{pair}
		}
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(config)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return todov1.NewTodoServiceClient(conn)
	}
}

func TestInternalCallsNeedACertificateOfAKnownName(t *testing.T) {
	authority := tlstest.New(t)
	for _, tt := range []struct {
		certificate string // names with blanks between them; none: no certificate
		want        codes.Code
	}{
		{"edge.test", codes.OK},
		{"EDGE.test", codes.OK},
		{"other.test edge.test", codes.OK},
		{"spiffe://hub.test/ns/hub/sa/edge", codes.OK},
		{"", codes.Unauthenticated},
		{"other.test", codes.PermissionDenied},
		{"*.test", codes.PermissionDenied},
		{"edge.test.evil", codes.PermissionDenied},
		{"x.edge.test", codes.PermissionDenied},
		{"spiffe://hub.test/ns/hub/sa/edge/x", codes.PermissionDenied},
		{"spiffe://hub.test/ns/hub/sa/EDGE", codes.PermissionDenied},
		{"127.0.0.1", codes.PermissionDenied},
	} {
		var pair *tlstest.Pair
		if tt.certificate != "" {
			issued := authority.Issue(t, strings.Fields(tt.certificate)...)
			pair = &issued
		}
		for _, token := range []bool{false, true} {
			names := []string{"edge.test", "spiffe://hub.test/ns/hub/sa/edge"}
			client := serveTLS(t, authority, guarded(t, names, token))(pair)
			for _, authorization := range [][]string{nil, {"Bearer " + internalKey}, {"Bearer good"}} {
				want := tt.want
				if token && want == codes.OK && authorization == nil {
					want = codes.Unauthenticated
				} else if token && want == codes.OK && authorization[0] == "Bearer good" {
					want = codes.PermissionDenied
				}
				_, err := client.UpsertTodo(withAuthorization(t.Context(), authorization...), &todov1.UpsertTodoRequest{})
				if got := status.Code(err); got != want {
					t.Errorf("certificate of %q, authorization %q, token needed %v: %v, want %v", tt.certificate, authorization, token, err, want)
				}
			}
		}
	}
}

func TestCertificatesAreForInternalCallsOnly(t *testing.T) {
	authority := tlstest.New(t)
	edge := authority.Issue(t, "edge.test")
	connect := serveTLS(t, authority, guarded(t, []string{"edge.test"}, false))
	if _, err := connect(&edge).ClearTodo(t.Context(), &todov1.ClearTodoRequest{}); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a client's call with a certificate and no token: %v", err)
	}
	ctx := withAuthorization(t.Context(), "Bearer good")
	if _, err := connect(nil).ClearTodo(ctx, &todov1.ClearTodoRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("a client's call without a certificate does not reach the service: %v", err)
	}
}

func TestInternalCallsAreRefusedWhereNoCertificateCanBe(t *testing.T) {
	onEach := func(name string, c grpc.ClientConnInterface) {
		ctx := withAuthorization(t.Context(), "Bearer "+internalKey)
		if _, err := todov1.NewTodoServiceClient(c).UpsertTodo(ctx, &todov1.UpsertTodoRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := guarded(t, []string{"edge.test"}, false)
	listening, local := grpcserver.New(o), grpcserver.NewLocal(o)
	todov1.RegisterTodoServiceServer(listening, answering(nil))
	todov1.RegisterTodoServiceServer(local, answering(nil))
	onEach("plain text", dial(t, listening))
	onEach("in memory", local)
}
