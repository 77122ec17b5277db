package sse_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse"
	"example.com/hub/services/edge/internal/sse/ssetest"
)

var noon = time.UnixMilli(1_700_000_000_000)

func TestFrames(t *testing.T) {
	tests := map[string]struct {
		event bus.Event
		want  string
		clean bool
	}{
		"message": {
			event: bus.Event{Kind: bus.Message, ID: "0190-a"},
			want:  "event: message\nid: 0190-a\ndata: {\"type\":\"message\",\"id\":\"0190-a\",\"ts\":1700000000000}\n\n",
			clean: true,
		},
		"read": {
			event: bus.Event{Kind: bus.Read, ID: "invoice/7 é"},
			want:  "event: read\nid: invoice/7 é\ndata: {\"type\":\"read\",\"id\":\"invoice/7 é\",\"ts\":1700000000000}\n\n",
			clean: true,
		},
		"characters that end scripts or strings": {
			event: bus.Event{Kind: bus.Read, ID: "</a>&\"\\\u2028\u2029\x7f\t"},
			want: "event: read\nid: </a>&\"\\\u2028\u2029\x7f\t\n" +
				`data: {"type":"read","id":"\u003c/a\u003e\u0026\"\\\u2028\u2029` + "\x7f" + `\t","ts":1700000000000}` + "\n\n",
			clean: true,
		},
		"line feed": {
			event: bus.Event{Kind: bus.Read, ID: "a\ndata: x"},
			want:  "event: read\ndata: {\"type\":\"read\",\"id\":\"a\\ndata: x\",\"ts\":1700000000000}\n\n",
		},
		"carriage return": {
			event: bus.Event{Kind: bus.Read, ID: "a\rb"},
			want:  "event: read\ndata: {\"type\":\"read\",\"id\":\"a\\rb\",\"ts\":1700000000000}\n\n",
		},
		"NUL": {
			event: bus.Event{Kind: bus.Read, ID: "a\x00b"},
			want:  "event: read\ndata: {\"type\":\"read\",\"id\":\"a\\u0000b\",\"ts\":1700000000000}\n\n",
		},
		"invalid UTF-8": {
			event: bus.Event{Kind: bus.Read, ID: "a\xffb\uFFFD"},
			want:  "event: read\ndata: {\"type\":\"read\",\"id\":\"a\\ufffdb\uFFFD\",\"ts\":1700000000000}\n\n",
		},
		"todo": {
			event: bus.Event{Kind: bus.Todo, ID: "po/1 \n\"é\""},
			want:  "event: todo\ndata: {\"type\":\"todo\",\"id\":\"po/1 \\n\\\"é\\\"\",\"ts\":1700000000000}\n\n",
			clean: true,
		},
		"any todo": {
			event: bus.Event{Kind: bus.Todo},
			want:  "event: todo\ndata: {\"type\":\"todo\",\"id\":null,\"ts\":1700000000000}\n\n",
			clean: true,
		},
		"empty id, which would erase the client's": {
			event: bus.Event{Kind: bus.Read},
			want:  "event: read\ndata: {\"type\":\"read\",\"id\":\"\",\"ts\":1700000000000}\n\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.event.Time = noon
			got, clean := sse.AppendEvent(nil, &tt.event)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("frame (-want +got):\n%s", diff)
			}
			if clean != tt.clean {
				t.Errorf("clean = %v, want %v", clean, tt.clean)
			}
		})
	}
}

func TestHeartbeatFrame(t *testing.T) {
	var f sse.Frame
	f.Heartbeat(noon)
	got := string(f.In(sse.Bare))
	want := "event: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null,\"ts\":1700000000000}\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heartbeat (-want +got):\n%s", diff)
	}
}

// ids are strings that hold what means something to the wire more often than chance would have it.
func ids() *rapid.Generator[string] {
	parts := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"\r", "\n", "\r\n", "\n\n", "\x00", ":", " ", "data: x", "id: x", "event: x", "retry: 1",
			"\u2028", "\u2029", "\u0085", "\uFEFF", "\uFFFD", "\xff", "\xc0\x80", "\xed\xa0\x80", `"`, `\`, "</script>",
		}),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(parts, 0, 5), func(p []string) string { return strings.Join(p, "") })
}

func TestEveryEventIsParsedAsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bus.Event {
			return bus.Event{
				Kind: rapid.SampledFrom([]bus.Kind{bus.Message, bus.Read}).Draw(t, "kind"),
				ID:   ids().Draw(t, "id"),
				Time: time.UnixMilli(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "ts")),
			}
		}), 1, 4).Draw(t, "events")

		var wire []byte
		var want []ssetest.Event
		var wantData []map[string]any
		last := ""
		for i := range events {
			e := &events[i]
			var clean bool
			wire, clean = sse.AppendEvent(wire, e)
			if safe := e.ID != "" && utf8.ValidString(e.ID) && !strings.ContainsAny(e.ID, "\r\n\x00"); clean != safe {
				t.Fatalf("id %q: clean = %v, want %v", e.ID, clean, safe)
			}
			if clean {
				last = e.ID
			}
			name := map[bus.Kind]string{bus.Message: "message", bus.Read: "read"}[e.Kind]
			want = append(want, ssetest.Event{Type: name, LastEventID: last})
			// Converting to runes turns each broken byte into U+FFFD.
			wantData = append(wantData, map[string]any{
				"type": name, "id": string([]rune(e.ID)), "ts": float64(e.Time.UnixMilli()),
			})
		}

		if !utf8.Valid(wire) {
			t.Fatalf("wire %q is not UTF-8", wire)
		}
		got := ssetest.Parse(string(wire))
		if got.Retry != "" {
			t.Fatalf("an event set the reconnect time to %s", got.Retry)
		}
		var gotData []map[string]any
		for i := range got.Events {
			var data map[string]any
			if err := json.Unmarshal([]byte(got.Events[i].Data), &data); err != nil {
				t.Fatalf("data %q: %v", got.Events[i].Data, err)
			}
			gotData = append(gotData, data)
			got.Events[i].Data = ""
		}
		if diff := cmp.Diff(want, got.Events); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantData, gotData); diff != "" {
			t.Fatalf("data (-want +got):\n%s", diff)
		}
	})
}

func TestEncodingDoesNotAllocate(t *testing.T) {
	e := bus.Event{Kind: bus.Message, ID: "0190c1f2-7e1b-7cc0-8a5e-6f1f6b7a9d10 <é>", Time: noon}
	var f sse.Frame
	if n := testing.AllocsPerRun(100, func() { f.Event(&e) }); n != 0 {
		t.Errorf("encoding an event allocates %v times, want 0", n)
	}
}

func TestChunksOfEverySize(t *testing.T) {
	var f sse.Frame
	for _, size := range []int{1, 9, 15, 16, 255, 256, 4095, 65_535, 65_536, 1 << 20} {
		want := strings.Repeat("x", size)
		f.Events(func(dst []byte) []byte { return append(dst, want...) })
		chunk := f.In(sse.Chunked)
		if wire := fmt.Sprintf("%x\r\n%s\r\n", size, want); string(chunk) != wire {
			t.Errorf("%d bytes begin with %.20q", size, chunk)
		}
		if got := f.In(sse.Bare); string(got) != want {
			t.Errorf("the text of %d bytes has %d", size, len(got))
		}
	}
}

func TestFarewellIsTheLastFrame(t *testing.T) {
	var f sse.Frame
	f.Farewell(3*time.Second, noon)
	const text = "retry: 3000\nevent: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null,\"ts\":1700000000000}\n\n"
	if got := string(f.In(sse.Bare)); got != text {
		t.Errorf("the text is %q, want %q", got, text)
	}
	if got, want := string(f.In(sse.Chunked)), fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(text), text); got != want {
		t.Errorf("the chunks are %q, want %q", got, want)
	}
}
