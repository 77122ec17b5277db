package eventcenter_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/services/edge/internal/eventcenter"
)

// hang holds an answer back until its caller is gone.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// pause waits by the clock of the bubble.
func pause(d time.Duration) { <-time.After(d) }

// bubble runs a test by a clock of its own, with a world in it.
func bubble(t *testing.T, answer http.HandlerFunc, test func(t *testing.T, w *world), change ...func(*eventcenter.Deps)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, end := newWorld(t, answer, change...)
		defer pause(2 * time.Minute) // net/http lingers, and so do handlers
		defer end()
		test(t, w)
	})
}

func TestNoConnectionWithinTwoSecondsIs503(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *world) {
		w.wantFault(t, http.MethodGet, nil, http.StatusServiceUnavailable, 2*time.Second)
		w.wantFault(t, http.MethodPost, strings.NewReader("body"), http.StatusServiceUnavailable, 2*time.Second)
	})
}

func TestARefusedConnectionIs503AtOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *world) {
		_ = w.upstream.Close()
		w.wantFault(t, http.MethodGet, nil, http.StatusServiceUnavailable, 0)
	})
}

func TestNoHeaderWithinThirtySecondsIs504(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		hang(w, r)
	}, func(t *testing.T, w *world) {
		w.wantFault(t, http.MethodGet, nil, http.StatusGatewayTimeout, 30*time.Second)
		w.wantFault(t, http.MethodPost, strings.NewReader("body"), http.StatusGatewayTimeout, 30*time.Second)
	})
}

func TestABodyThatNobodyReadsIs504AfterAMinute(t *testing.T) {
	var over chan struct{} // of the bubble
	bubble(t, func(http.ResponseWriter, *http.Request) { <-over }, func(t *testing.T, w *world) {
		over = make(chan struct{})
		w.wantFault(t, http.MethodPost, strings.NewReader(strings.Repeat("x", 1<<20)), http.StatusGatewayTimeout, time.Minute)
		close(over)
	})
}

func TestABodyThatDoesNotComeIs400AfterAMinute(t *testing.T) {
	bubble(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }, func(t *testing.T, w *world) {
		body, out := io.Pipe()
		go func() {
			pause(50 * time.Second)
			_, _ = io.WriteString(out, "a part")
		}()
		w.wantFault(t, http.MethodPost, body, http.StatusBadRequest, 110*time.Second)
		_ = out.Close()
	})
}

func TestASilentAnswerIsCutAfterAMinute(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			_, _ = io.WriteString(w, "event\n")
			_ = http.NewResponseController(w).Flush()
			pause(59 * time.Second)
		}
		_, _ = io.WriteString(w, "event\n")
		_ = http.NewResponseController(w).Flush()
		hang(w, r)
	}, func(t *testing.T, w *world) {
		began := time.Now()
		resp, err := w.begin(t, http.MethodGet, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantCut(t, resp, began, 3*59*time.Second+time.Minute)
	})
}

func TestAnEndlessAnswerIsCutAfterAnHour(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ": heartbeat\n\n")
			_ = http.NewResponseController(w).Flush()
			pause(15 * time.Second)
		}
	}, func(t *testing.T, w *world) {
		began := time.Now()
		resp, err := w.begin(t, http.MethodGet, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantCut(t, resp, began, time.Hour)
	})
}

func TestTwoHundredAndFiftySixAtOnce(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		hang(w, r)
	}, func(t *testing.T, w *world) {
		var open []*http.Response
		for range 256 {
			resp, err := w.begin(t, http.MethodGet, nil)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, resp)
		}
		w.wantFault(t, http.MethodGet, nil, http.StatusServiceUnavailable, 0)
		_ = open[0].Body.Close()
		synctest.Wait()
		resp, err := w.begin(t, http.MethodGet, nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("after one has left: %v, %v", resp, err)
		}
		if s := w.Stats(); s.Open != 256 {
			t.Errorf("%+v", s)
		}
		for _, resp := range append(open, resp) {
			_ = resp.Body.Close()
		}
	})
}

// TestAStop has a stream, an answer with a length, and a request without an answer under way.
func TestAStop(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		case http.MethodPut:
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "be")
			_ = http.NewResponseController(w).Flush()
			pause(3 * time.Second)
			_, _ = io.WriteString(w, "gun")
		case http.MethodHead:
			hang(w, r)
		}
	}, func(t *testing.T, w *world) {
		began := time.Now()
		var streams []*http.Response
		for range 2 {
			resp, err := w.begin(t, http.MethodGet, nil)
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, resp)
		}
		whole, err := w.begin(t, http.MethodPut, nil)
		if err != nil {
			t.Fatal(err)
		}
		polled := make(chan *http.Response, 1)
		go func() {
			resp, _ := w.begin(t, http.MethodHead, nil)
			polled <- resp
		}()
		synctest.Wait()
		stopped := make(chan error, 1)
		go func() { stopped <- w.Shutdown(context.Background(), time.Second) }()
		synctest.Wait()
		w.wantFault(t, http.MethodGet, nil, http.StatusServiceUnavailable, 0)
		for _, resp := range streams {
			if _, err := io.Copy(io.Discard, resp.Body); err == nil {
				t.Error("a stream ends as if it was whole")
			}
		}
		if took := time.Since(began); took != 500*time.Millisecond {
			t.Errorf("the streams are cut over %s", took)
		}
		if resp := <-polled; resp == nil || resp.StatusCode != http.StatusServiceUnavailable || time.Since(began) != 1500*time.Millisecond {
			t.Errorf("what has no answer gets %v after %s", resp, time.Since(began))
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if text, err := io.ReadAll(whole.Body); string(text) != "begun" || err != nil {
			t.Errorf("what has begun ends as %q, %v", text, err)
		}
	})
}
