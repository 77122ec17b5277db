package edge_test

import (
	"log/slog"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
	"example.com/hub/services/edge"
)

// serveHub answers health checks with a certificate of these names.
func serveHub(t *testing.T, authority *tlstest.Authority, names ...string) (address string) {
	t.Helper()
	secret := tlstest.MountPair(t, authority.Issue(t, names...), authority.PEM())
	files, err := tlsfiles.ListenerSettings{CertFile: secret.Path("tls.crt"), KeyFile: secret.Path("tls.key")}.Open(slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(files.GRPC()...)
	healthpb.RegisterHealthServer(s, health.NewServer())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

func TestHubsMustHaveTheNameThatTheyAreCalledBy(t *testing.T) {
	authority := tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "edge.test"), authority.PEM())
	files, err := tlsfiles.ClientSettings{CAFile: secret.Path("ca.crt")}.Open(slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	byAddress, again := serveHub(t, authority, "127.0.0.1"), serveHub(t, authority, "127.0.0.1")
	byName := serveHub(t, authority, "hub.test")
	byHost := serveHub(t, authority, "localhost")
	_, port, err := net.SplitHostPort(byHost)
	if err != nil {
		t.Fatal(err)
	}
	stranger := serveHub(t, tlstest.New(t), "127.0.0.1", "hub.test")
	for name, tt := range map[string]struct {
		target edge.Target
		want   codes.Code
	}{
		"address":                       {edge.Target{Address: byAddress}, codes.OK},
		"addresses":                     {edge.Target{Address: byAddress + ", " + again}, codes.OK},
		"host":                          {edge.Target{Address: "localhost:" + port}, codes.OK},
		"target":                        {edge.Target{Address: "dns:///localhost:" + port}, codes.OK},
		"target of one server":          {edge.Target{Address: "passthrough:///" + byAddress}, codes.OK},
		"another name":                  {edge.Target{Address: byName}, codes.Unavailable},
		"another name that is known":    {edge.Target{Address: byName, ServerName: "hub.test"}, codes.OK},
		"addresses of one name":         {edge.Target{Address: byName + "," + byName, ServerName: "hub.test"}, codes.OK},
		"addresses of other names":      {edge.Target{Address: byName + "," + byName}, codes.Unavailable},
		"another authority":             {edge.Target{Address: stranger}, codes.Unavailable},
		"another authority, right name": {edge.Target{Address: stranger, ServerName: "hub.test"}, codes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			tt.target.TLS, tt.target.MaxReceive, tt.target.Replicas = files, 1<<20, watching
			conn, err := edge.Dial(tt.target)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_, err = healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
			if got := status.Code(err); got != tt.want || got != codes.OK && !strings.Contains(err.Error(), "certificate") {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}
