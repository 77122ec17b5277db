package grpcserver_test

import (
	"net"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// BenchmarkInvoke makes calls of the size of an upsert, each in a stream of gRPC's or through a tunnel.
func BenchmarkInvoke(b *testing.B) {
	o, _ := options()
	o.Edges.Key, o.Logger = newKey(b), nil
	token := strings.Repeat("t", 700)
	o.Verifier = tokens{token: {Client: "erp", Scopes: []string{auth.ScopeClient}}}
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	conn := serveOn(b, s, l, "dns:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	ctx := withAuthorization(b.Context(), "Bearer "+token)
	in := &todov1.UpsertTodoRequest{Title: strings.Repeat("x", 400)}
	for name, callers := range map[string]int{"one": 1, "sixteen": 16} {
		for impl, c := range map[string]grpc.ClientConnInterface{"baseline": conn, "hub": openTunnel(b, conn)} {
			b.Run(name+"/against=stream/impl="+impl, func(b *testing.B) {
				client := todov1.NewTodoServiceClient(c)
				b.ReportAllocs()
				if callers == 1 {
					for b.Loop() {
						if _, err := client.UpsertTodo(ctx, in); err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				b.SetParallelism(callers / runtime.GOMAXPROCS(0))
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := client.UpsertTodo(ctx, in); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
