package clients

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	hub "example.com/hub/clients/go"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// built is the folder of the services' binaries.
var built string

func TestMain(m *testing.M) { os.Exit(shapetest.Main(m, &built, shape.Services()...)) }

// audience is a user to whom messages are pushed.
type audience struct {
	client *hub.Client
	user   string
	pushed int
}

// push sends n messages, one after the other.
func (a *audience) push(t *testing.T, n int) {
	t.Helper()
	for range n {
		a.pushed++
		if _, err := a.client.Push(t.Context(), &messagev1.PushMessageRequest{
			SourceMessageId: fmt.Sprintf("%s-%d", a.user, a.pushed), TargetUsernames: []string{a.user}, Title: "Hello", Content: "From ERP.",
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// records are the ids of the inbox, in the order of storing.
func (a *audience) records(t *testing.T) []string {
	t.Helper()
	var all []string
	for m, err := range a.client.WalkInbox(t.Context(), &messagev1.ListInboxRequest{
		Username: &a.user, Sort: &messagev1.InboxSort{Field: messagev1.InboxSortField_INBOX_SORT_FIELD_ID},
	}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m.GetId())
	}
	return all
}

// Hubs have addresses of their own here, and an edge that is back has read from the log what it did not hear.
func TestWatcherMissesNothingWhileItsEdgeRestarts(t *testing.T) {
	cfg := shapetest.Config(t, built, shapetest.Home(t), 1)
	s := shapetest.Start(t, cfg)
	edge := "http://" + cfg.Edges[0].Public
	tokens := hub.NewTokens(hub.Credentials{URL: edge, ID: "erp", Secret: "erp-secret"})
	client, err := hub.Dial(hub.Config{
		Todos: cfg.Hubs["todohub"][0].Public, Messages: cfg.Hubs["messagehub"][0].Public, Plaintext: true, Tokens: tokens,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()

	for name, end := range map[string]func(*shape.Replica){
		"in order":        (*shape.Replica).Stop,
		"without warning": (*shape.Replica).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			const before, away, after = 5, 20, 5
			a := &audience{client: client, user: "user " + name}
			restarted := false
			w := hub.Watcher{URL: edge, User: a.user, Tokens: tokens}
			w.Broken = func(error, time.Duration) {
				if restarted {
					return
				}
				restarted = true
				a.push(t, away)
				if err := s.Restart(t.Context(), "edge-1"); err != nil {
					t.Fatal(err)
				}
				a.push(t, after)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			var got []string
			for event, err := range w.Events(ctx) {
				switch {
				case err != nil:
					t.Fatal(err)
				case event.Type == hub.Opened && !restarted:
					a.push(t, before)
				case event.Type == hub.MessageStored && !slices.Contains(got, event.ID): // after a break events may repeat
					got = append(got, event.ID)
					if len(got) == before {
						end(s.Replica("edge-1"))
					}
				}
				if len(got) == before+away+after {
					break
				}
			}
			if want := a.records(t); !slices.Equal(got, want) {
				t.Errorf("the events are of\n%q, want\n%q", got, want)
			}
		})
	}
}
