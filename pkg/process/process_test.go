package process_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/tlsfiles"
)

func open(t *testing.T, stops *[]string, names ...string) *process.Process {
	t.Helper()
	p, err := process.Open(t.Context(), "demo", tracing.Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p.Add(lifecycle.Part{Name: name, Stop: func(context.Context) error {
			*stops = append(*stops, name)
			return nil
		}})
	}
	return p
}

func TestCloseStopsWhatDidNotRun(t *testing.T) {
	var stops []string
	p := open(t, &stops, "store", "bus")
	if err := errors.Join(p.Close(t.Context()), p.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if want := []string{"bus", "store"}; !slices.Equal(stops, want) {
		t.Errorf("stopped %v, want %v", stops, want)
	}
}

func TestCloseAfterRunDoesNothing(t *testing.T) {
	var stops []string
	p := open(t, &stops, "store")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(p.Run(ctx, time.Minute), p.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(stops) != 1 {
		t.Errorf("stopped %d times", len(stops))
	}
}

func TestAdminTellsWhatIsNotReady(t *testing.T) {
	p := open(t, nil)
	p.Check("database", func(context.Context) error { return errors.New("away") })
	l, _, err := p.Admin(t.Context(), "127.0.0.1:0", tlsfiles.AdminSettings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, time.Minute) }()
	// Until the first probe the reason is another one.
	for text := ""; text != "database: away\n"; {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		text = string(content)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
