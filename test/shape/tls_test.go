package shape_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/hub/test/shape"
)

// startTLS runs a shape in which everything is encrypted.
func startTLS(t *testing.T, change func(cfg *shape.Config)) running {
	t.Helper()
	return startWith(t, func(cfg *shape.Config) {
		cfg.TLS = true
		change(cfg)
	})
}

// secureCaller makes calls through one edge. Fresh connections show the certificate of the moment.
func (r running) secureCaller(t *testing.T, edge shape.Address, fresh bool) caller {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.Authorities()}, DisableKeepAlives: fresh}
	t.Cleanup(transport.CloseIdleConnections)
	return newCallerWith(t, "https://"+edge.Public, &http.Client{Transport: transport})
}

// serial is the number of the certificate that a listener shows.
func (r running) serial(t *testing.T, address, protocol string) string {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: r.Authorities(), NextProtos: []string{protocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// metric reads a metric without labels.
func metric(t *testing.T, replica shape.Address, name string) string {
	t.Helper()
	resp, err := http.Get("http://" + replica.Admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no %s", name)
	return ""
}

// becomes waits until something has a value.
func becomes(t *testing.T, what, want string, read func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		got := read()
		if got == want {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is %s, want %s", what, got, want)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestCertificatesAreReplacedWithoutAnInterruption(t *testing.T) {
	t.Parallel()
	var cfg shape.Config
	s := startTLS(t, func(c *shape.Config) { cfg = *c })
	stream := s.secureCaller(t, s.edges[1], false).watch(t, "alice")
	kept, fresh := s.secureCaller(t, s.edges[0], false), s.secureCaller(t, s.edges[0], true)
	listeners := map[string]string{s.edges[0].Public: "http/1.1", cfg.Hubs["todohub"][0].Public: "h2", cfg.Hubs["messagehub"][1].Public: "h2"}
	before := map[string]string{}
	for address, protocol := range listeners {
		before[address] = s.serial(t, address, protocol)
	}

	if err := s.Rotate(); err != nil {
		t.Fatal(err)
	}
	// Calls and events go on while the replicas take the new certificates over, one after the other.
	pushed := 0
	push := func() {
		for _, c := range []caller{kept, fresh} {
			c.push(t, fmt.Sprint("m-", pushed), "alice")
			stream.wants(t, "message")
			pushed++
		}
	}
	for address, protocol := range listeners {
		becomes(t, "whether "+address+" shows the old certificate", "false", func() string {
			push()
			return fmt.Sprint(s.serial(t, address, protocol) == before[address])
		})
	}
	// New connections between edges and hubs have the new certificates on both sides.
	for _, name := range []string{"messagehub-1", "messagehub-2"} {
		s.Replica(name).Stop()
		if err := s.Restart(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		push()
	}
	for _, edge := range s.edges {
		becomes(t, "hub_edge_events_whole", "1", func() string { return metric(t, edge, "hub_edge_events_whole") })
	}
}

func TestInternalCallsAreRefusedWithoutTheNameOfAnEdge(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *shape.Config) {
		c.Own = map[string][]string{"edge-2": {
			"HUB_HUBS_CERT_FILE=" + c.Secret(shape.HubSecret, "tls.crt"), "HUB_HUBS_KEY_FILE=" + c.Secret(shape.HubSecret, "tls.key"),
		}}
	})
	for i, want := range []string{"0", "1"} {
		becomes(t, fmt.Sprintf("hub_edge_events_refused of edge-%d", i+1), want, func() string {
			return metric(t, s.edges[i], "hub_edge_events_refused")
		})
	}
	becomes(t, "hub_edge_events_whole of edge-1", "1", func() string { return metric(t, s.edges[0], "hub_edge_events_whole") })
	if got := metric(t, s.edges[1], "hub_edge_events_whole"); got != "0" {
		t.Errorf("edge-2 says that it misses nothing")
	}
	// The edge serves all the same.
	two := s.secureCaller(t, s.edges[1], false)
	stream := two.watch(t, "alice")
	two.push(t, "m", "alice")
	stream.wants(t, "message")
}
