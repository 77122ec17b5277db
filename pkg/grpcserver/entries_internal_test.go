package grpcserver

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/fault"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

func TestEntriesOfListsInLists(t *testing.T) {
	limits := Entries{
		"hub.event.v1.ListEventsResponse.frames": 3,
		"hub.event.v1.Frame.events":              2,
	}
	for name, tc := range map[string]struct {
		events []int // by frame
		want   string
	}{
		"none":               {nil, ""},
		"at the limits":      {[]int{2, 2, 2}, ""},
		"one above":          {[]int{0, 3, 0, 0}, ""},
		"too many frames":    {[]int{0, 0, 0, 0, 0}, "frames"},
		"too many in one":    {[]int{2, 4}, "frames[1].events"},
		"each its own count": {[]int{3, 3, 3}, ""},
	} {
		list := &eventv1.ListEventsResponse{More: true, Next: &eventv1.Position{Sequence: 7}}
		for _, n := range tc.events {
			frame := &eventv1.Frame{Position: &eventv1.Position{Transaction: 1}}
			for range n {
				frame.Events = append(frame.Events, &eventv1.Event{})
			}
			list.Frames = append(list.Frames, frame)
		}
		raw, err := proto.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := limits.check(list.ProtoReflect().Descriptor(), raw); err != nil {
			got = fault.As(err).Field
		}
		if got != tc.want {
			t.Errorf("%s: the field at fault is %q, want %q", name, got, tc.want)
		}
	}
}
