package sse_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse"
)

// BenchmarkFrame is the frame of one event, in its chunk. The baseline leaves the form to fmt and the
// data to encoding/json, and has no chunk.
func BenchmarkFrame(b *testing.B) {
	for _, tt := range []struct{ name, id string }{
		{"plain", "0190c1f2-7e1b-7cc0-8a5e-6f1f6b7a9d10"},
		{"escaped", "<李雷> & \"é\" \u2028"},
	} {
		e := bus.Event{Kind: bus.Message, ID: tt.id, Time: noon}
		b.Run(tt.name+"/against=fmt/impl=baseline", func(b *testing.B) {
			buf := make([]byte, 0, 512)
			b.ReportAllocs()
			for b.Loop() {
				data, err := json.Marshal(frameData{"message", e.ID, e.Time.UnixMilli()})
				if err != nil {
					b.Fatal(err)
				}
				buf = fmt.Appendf(buf[:0], "event: %s\nid: %s\ndata: %s\n\n", "message", e.ID, data)
			}
			if own, _ := sse.AppendEvent(nil, &e); string(own) != string(buf) {
				b.Errorf("the baseline writes %s, want %s", buf, own)
			}
		})
		b.Run(tt.name+"/against=fmt/impl=hub", func(b *testing.B) {
			var f sse.Frame
			b.ReportAllocs()
			for b.Loop() {
				f.Event(&e)
			}
		})
	}
}

// frameData is the data of an event.
type frameData struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	TS   int64  `json:"ts"`
}
