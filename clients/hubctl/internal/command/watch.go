package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	hub "example.com/hub/clients/go"
	"example.com/hub/clients/hubctl/internal/show"
)

const watchLong = `watch prints a line for each event of a user: when, what, and the id of what changed. It comes
back by itself after a break, and goes on where it was. Ctrl-C ends it.

A user has one stream. watch takes it from the user's portal, which takes it back: watch users
whom nobody else watches, or people who have agreed.`

const watchExample = `  hubctl watch alice
  hubctl watch alice --topics inbox,todo -o json | jq .type
  hubctl watch alice --last-event-id 21z15`

// seen is an event for programs, one in a line.
type seen struct {
	Type string `json:"type"`
	// ID is null where anything of this type may have changed, and of open.
	ID          *string `json:"id"`
	Time        *string `json:"time"`
	LastEventID string  `json:"lastEventId"`
}

func (a *App) watch() *cobra.Command {
	var topics []string
	var last string
	c := &cobra.Command{
		Use: "watch USER", Short: "Watch what happens to a user", Args: takes, Long: watchLong, Example: watchExample,
		RunE: func(c *cobra.Command, args []string) error { return a.watchUser(c.Context(), args[0], topics, last) },
	}
	c.Flags().StringSliceVar(&topics, "topics", []string{hub.TopicInbox}, "what to hear of: inbox, todo or both")
	c.Flags().StringVar(&last, "last-event-id", "", "go on behind this event, of an earlier watch")
	a.completes(c, "topics", oneOf("inbox", "todo", "inbox,todo"))
	return c
}

func (a *App) watchUser(ctx context.Context, user string, topics []string, last string) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	watcher := hub.Watcher{
		URL: client.Base, User: user, Topics: topics, Tokens: client.Tokens, LastEventID: last, Client: client.HTTP,
		UserAgent: client.UserAgent,
		Broken: func(err error, wait time.Duration) {
			a.note("the stream broke: %s; again in %s", words(err), wait.Round(100*time.Millisecond))
		},
	}
	for event, err := range watcher.Events(ctx) {
		if err != nil {
			return err
		}
		if err := a.showEvent(event); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (a *App) showEvent(e hub.Event) error {
	s := seen{Type: string(e.Type), LastEventID: e.LastEventID}
	when := e.Time
	if e.ID != "" {
		s.ID = &e.ID
	}
	if !e.Time.IsZero() {
		text := e.Time.UTC().Format(time.RFC3339Nano)
		s.Time = &text
	} else {
		when = time.Now()
	}
	if a.output == outputJSON {
		return show.JSONLine(a.Out, s)
	}
	_, err := fmt.Fprintf(a.Out, "%s  %-7s  %s\n", when.Local().Format(time.TimeOnly), s.Type, show.Text(e.ID))
	return err
}
