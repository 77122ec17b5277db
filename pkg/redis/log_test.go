package redis_test

import (
	"encoding/json"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/redis"
)

// output is a log that may be read while it is written.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// TestLinesOfTheClientAreLinesOfTheLog calls a Redis that is not there.
func TestLinesOfTheClientAreLinesOfTheLog(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	_ = l.Close()
	var out output
	config := redis.Config{URL: "redis://user:password@" + nobody}
	client, err := config.Open(log.New(&out, log.Config{Format: "json", Level: slog.LevelDebug}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	defer func() { _, _ = config.Open(slog.New(slog.DiscardHandler)) }() // the log ends with the test
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Fatal("somebody answers")
	}
	if out.String() == "" {
		t.Error("there is no line")
	}
	for text := range strings.Lines(out.String()) {
		var line struct{ Level, Msg, Message string }
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Level != "DEBUG" || line.Msg != "redis client" || line.Message == "" {
			t.Errorf("line %s: %v", text, err)
		}
	}
	if strings.Contains(out.String(), "password") {
		t.Errorf("a password is in %s", out.String())
	}
}
