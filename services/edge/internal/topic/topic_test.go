package topic_test

import (
	"testing"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/topic"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]topic.Set{
		"inbox": topic.Inbox, "todo": topic.Todos, "todo,inbox": topic.Inbox | topic.Todos, "todo,todo": topic.Todos,
	} {
		if got, err := topic.Parse(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ",", "todo,", "Todo", "todo, inbox", "todos", "heartbeat"} {
		if got, err := topic.Parse(text); err == nil || got != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestSetsHaveTheKindsOfTheirTopics(t *testing.T) {
	for kind, want := range map[bus.Kind]topic.Set{
		bus.Message: topic.Inbox, bus.Read: topic.Inbox, bus.Todo: topic.Todos, bus.SessionEnd: 0, 99: 0,
	} {
		for _, s := range []topic.Set{0, topic.Inbox, topic.Todos, topic.Inbox | topic.Todos} {
			if got := s.Has(kind); got != (s&want != 0) {
				t.Errorf("%v has the kind %v: %v", s, kind, got)
			}
		}
	}
}
