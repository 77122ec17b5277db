package redisbus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/bus"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

// heardFrame is what decode makes of a payload.
type heardFrame struct {
	Frame   bus.Frame
	Skipped int
}

// generated reads a payload with the generated code.
func generated(encoded []byte) (heardFrame, error) {
	var m eventv1.Frame
	if err := proto.Unmarshal(encoded, &m); err != nil {
		return heardFrame{}, err
	}
	position := func(p *eventv1.Position) bus.Position {
		return bus.Position{Transaction: p.GetTransaction(), Sequence: p.GetSequence()}
	}
	h := heardFrame{Frame: bus.Frame{
		Position: position(m.GetPosition()), Part: int(m.GetPart()), Watermark: position(m.GetFence()),
	}}
	for _, e := range m.GetEvents() {
		switch e.GetKind() {
		case eventv1.EventKind_EVENT_KIND_MESSAGE, eventv1.EventKind_EVENT_KIND_READ, eventv1.EventKind_EVENT_KIND_SESSION_END, eventv1.EventKind_EVENT_KIND_TODO:
			h.Frame.Events = append(h.Frame.Events, bus.Event{
				Kind: bus.Kind(e.GetKind()), User: e.GetUsername(), ID: e.GetId(), Time: time.UnixMilli(e.GetTs()),
			})
		default:
			h.Skipped++
		}
	}
	return h, nil
}

// agree compares decode with the generated code.
func agree(t *testing.T, encoded []byte) {
	t.Helper()
	want, wantErr := generated(encoded)
	f, skipped, err := decode(nil, string(encoded))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: decode says %v, the generated code %v", encoded, err, wantErr)
	}
	if diff := cmp.Diff(want, heardFrame{f, skipped}); diff != "" {
		t.Fatalf("%x (-generated +decode):\n%s", encoded, diff)
	}
}

func someFrame() bus.Frame {
	at := time.UnixMilli(1_700_000_000_000)
	return bus.Frame{
		Position:  bus.Position{Transaction: math.MaxUint64, Sequence: -1},
		Part:      math.MaxInt32,
		Watermark: bus.Position{Sequence: 300},
		Events: []bus.Event{
			{Kind: bus.Message, User: "alice", ID: "21z15", Time: at},
			{Kind: bus.Read, User: "日本語", Time: time.UnixMilli(-1)},
			{Kind: bus.Message, ID: "no user", Time: time.UnixMilli(0)},
			{Kind: bus.SessionEnd, User: "amy", ID: "hash", Time: at},
			{Kind: bus.Todo, User: "amy", ID: "po-1", Time: at},
			{Kind: bus.Todo, Time: at},
		},
	}
}

func TestFramesAreThoseOfTheProto(t *testing.T) {
	var enc encoder
	for _, want := range []bus.Frame{someFrame(), {Watermark: bus.Position{Transaction: 1}}, {Position: bus.Position{Sequence: 1}}} {
		if dropped := enc.add(want); dropped != 0 {
			t.Fatalf("%d events were dropped", dropped)
		}
		encoded := enc.payloads[len(enc.payloads)-1].encoded
		got, err := generated(encoded)
		if diff := cmp.Diff(heardFrame{Frame: want}, got); err != nil || diff != "" {
			t.Errorf("%v (-encoded +generated):\n%s", err, diff)
		}
		agree(t, encoded)
	}
}

// unusual are payloads that no process of this version writes.
func unusual(tb testing.TB) [][]byte {
	tb.Helper()
	event := func(kind eventv1.EventKind) *eventv1.Frame {
		return &eventv1.Frame{Events: []*eventv1.Event{{Kind: kind, Username: "alice", Id: "x", Ts: 1}}}
	}
	var payloads [][]byte
	for _, m := range []*eventv1.Frame{
		event(0), event(99), event(-1),
		{},
		{Position: &eventv1.Position{}, Part: -1},
		{Fence: &eventv1.Position{Sequence: math.MinInt64}},
	} {
		encoded, err := proto.Marshal(m)
		if err != nil {
			tb.Fatal(err)
		}
		payloads = append(payloads, encoded)
	}
	known := payloads[1]
	for _, field := range [][]byte{
		protowire.AppendString(protowire.AppendTag(nil, 50, protowire.BytesType), "new"),
		protowire.AppendFixed64(protowire.AppendTag(nil, 51, protowire.Fixed64Type), 1),
		protowire.AppendFixed32(protowire.AppendTag(nil, 3, protowire.Fixed32Type), 1),
		protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), math.MaxUint64),
		protowire.AppendGroup(protowire.AppendTag(nil, 52, protowire.StartGroupType), 52, known),
		protowire.AppendTag(nil, 52, protowire.EndGroupType),
		protowire.AppendTag(nil, 52, protowire.StartGroupType),
		{0},
		{0x80},
		{0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
		{0x98, 0, 5}, // a tag in two bytes where one would do
	} {
		payloads = append(payloads, slices.Concat(field, known), slices.Concat(known, field))
	}
	return payloads
}

func TestDecodeAgreesWithTheGeneratedCode(t *testing.T) {
	var enc encoder
	enc.add(someFrame())
	payloads := append(unusual(t), enc.payloads[0].encoded)
	for _, p := range payloads {
		agree(t, p)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		p := slices.Clone(payloads[random.IntN(len(payloads))])
		for range random.IntN(4) {
			if len(p) > 0 {
				p[random.IntN(len(p))] = byte(random.IntN(256))
			}
		}
		agree(t, p[:random.IntN(len(p)+1)])
	}
}

func FuzzDecode(f *testing.F) {
	var enc encoder
	enc.add(someFrame())
	for _, p := range append(unusual(f), enc.payloads[0].encoded) {
		f.Add(p)
	}
	f.Fuzz(agree)
}

// BenchmarkFrames measures a full frame of a large push.
func BenchmarkFrames(b *testing.B) {
	f := bus.Frame{Position: bus.Position{Transaction: 12_345_678, Sequence: 987_654}, Part: 3}
	for i := range bus.MaxEvents {
		f.Events = append(f.Events, bus.Event{
			Kind: bus.Message, User: fmt.Sprintf("user-%06d", i), ID: fmt.Sprintf("4lfls37p%02d", i), Time: time.UnixMilli(1_700_000_000_000),
		})
	}
	var enc encoder
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			enc.reset()
			enc.add(f)
		}
	})
	encoded := string(enc.payloads[0].encoded)
	var events []bus.Event
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			heard, _, err := decode(events[:0], encoded)
			if err != nil {
				b.Fatal(err)
			}
			events = heard.Events
		}
	})
	b.Run("generated_decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := generated([]byte(encoded)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
