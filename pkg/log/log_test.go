package log_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
)

func TestNew(t *testing.T) {
	var cfg log.Config
	if err := config.Load(&cfg, []string{"HUB_LOG_FORMAT=json", "HUB_LOG_LEVEL=warn"}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	logger := log.New(&out, cfg)
	logger.Info("not shown")
	logger.Warn("shown", slog.Int("n", 1))

	var entry map[string]any
	if err := json.Unmarshal([]byte(out.String()), &entry); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	if entry["msg"] != "shown" || entry["n"] != 1.0 {
		t.Errorf("got %v", entry)
	}
}

func TestLinesOfATracedRequestHaveItsTrace(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	var b strings.Builder
	logger := log.New(&b, log.Config{Format: "json"})
	ctx, span := tracer.Request(requestid.With(t.Context(), "r-1"), http.Header{})
	logger.InfoContext(ctx, "traced")
	span.Answered("GET /a", 200, "")
	unsampled := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}}
	ctx, span = tracer.Request(t.Context(), unsampled)
	logger.InfoContext(ctx, "not traced")
	span.Answered("GET /a", 200, "")
	spans := end()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	lines := strings.Split(b.String(), "\n")
	want := fmt.Sprintf(`"request_id":"r-1","trace_id":%q,"span_id":%q}`, spans[0].Trace, spans[0].ID)
	if !strings.HasSuffix(lines[0], want) || !strings.HasSuffix(lines[1], `"msg":"not traced"}`) {
		t.Errorf("got %q, want %s in the first only", lines, want)
	}
}

func TestFormatIsChecked(t *testing.T) {
	var cfg log.Config
	err := config.Load(&cfg, []string{"HUB_LOG_FORMAT=xml"})
	if err == nil || !strings.HasPrefix(err.Error(), "HUB_LOG_FORMAT: ") {
		t.Errorf("got %v", err)
	}
}

func TestLinesOfARequestHaveItsID(t *testing.T) {
	var b strings.Builder
	logger := log.New(&b, log.Config{Format: "json"})
	ctx := requestid.With(t.Context(), "r-1")
	logger.InfoContext(ctx, "one")
	logger.With("a", 1).InfoContext(ctx, "two")
	logger.WithGroup("g").InfoContext(ctx, "three")
	logger.InfoContext(t.Context(), "none")
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{`"request_id":"r-1"}`, `"a":1,"request_id":"r-1"}`, `"g":{"request_id":"r-1"}}`, `"msg":"none"}`} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %s, want %s", lines[i], want)
		}
	}
}
