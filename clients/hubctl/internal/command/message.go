package command

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

const (
	messagesPath = "/message-hub/messages"
	inboxPath    = "/message-hub/inbox"
)

// record is what is shown of a message in an inbox.
type record struct {
	MessageID  string  `json:"sourceMessageId"`
	AppID      string  `json:"sourceAppId"`
	User       string  `json:"username"`
	Status     string  `json:"status"`
	Title      string  `json:"title"`
	Category   string  `json:"category"`
	OccurredAt *string `json:"occurredAt"`
}

func (a *App) message() *cobra.Command {
	return group("message", "Push messages, list inboxes and mark messages as read",
		"message pushes notices to users, lists their inboxes, counts what is unread and marks it as read.",
		a.messagePush(), a.messageInbox(), a.messageUnread(), a.messageRead(), a.messageReadAll())
}

func (a *App) messageInbox() *cobra.Command {
	var p pages
	var status, app, id string
	c := &cobra.Command{
		Use: "inbox [USER]", Short: "List the inbox of a user, or of everybody", Args: takes,
		Long: `inbox shows messages, the newest first.`,
		Example: `  hubctl message inbox alice --status unread
  hubctl message inbox --message m-1 --all -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			query := url.Values{}
			upper(query, "status", status)
			set(query, "sourceAppId", app)
			set(query, "sourceMessageId", id)
			if len(args) > 0 {
				query.Set("username", args[0])
			}
			columns := []string{"MESSAGE", "APP", "STATUS", "USER", "TITLE", "CATEGORY", "OCCURRED"}
			return a.list(c.Context(), inboxPath, query, p, columns, recordRow)
		},
	}
	p.flags(c)
	c.Flags().StringVar(&status, "status", "", "unread or read; both by default")
	c.Flags().StringVar(&app, "app", "", "only of this sender")
	c.Flags().StringVar(&id, "message", "", "only with this id at the sender")
	a.completes(c, "status", oneOf("unread", "read"))
	return c
}

func recordRow(raw json.RawMessage) ([]show.Cell, error) {
	var r record
	err := json.Unmarshal(raw, &r)
	row := show.Cells(r.MessageID, r.AppID, r.Status, r.User, r.Title, r.Category, instant(r.OccurredAt))
	row[2].Style = show.Faint
	if r.Status == "UNREAD" {
		row[2].Style = show.Odd
	}
	return row, err
}

func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func (a *App) messageUnread() *cobra.Command {
	return &cobra.Command{
		Use: "unread USER", Short: "Count the unread messages of a user", Args: takes,
		Long:    `unread prints how many messages the user has not read.`,
		Example: `  hubctl message unread alice`,
		RunE: func(c *cobra.Command, args []string) error {
			var count struct {
				Unread int64 `json:"unread"`
			}
			err := a.ask(c.Context(), api.Request{
				Method: http.MethodGet, Path: "/message-hub/unread-count", Query: url.Values{"username": args[:1]},
			}, &count.Unread)
			if err != nil {
				return err
			}
			return a.print(count, func(show.Terminal) error { a.say("%d", count.Unread); return nil })
		},
	}
}

func (a *App) messageRead() *cobra.Command {
	return &cobra.Command{
		Use: "read USER ID", Short: "Mark a message of a user as read", Args: takes,
		Long:    `read marks what the user has of the message as read. ID is the sender's, as in the inbox. What is read already stays so.`,
		Example: `  hubctl message read alice m-1`,
		RunE: func(c *cobra.Command, args []string) error {
			err := a.ask(c.Context(), api.Request{
				Method: http.MethodPost, Path: messagesPath + api.Path(args[1], "read"), Query: url.Values{"username": args[:1]},
			}, nil)
			if err != nil {
				return err
			}
			done := struct {
				Username        string `json:"username"`
				SourceMessageID string `json:"sourceMessageId"`
			}{args[0], args[1]}
			return a.print(done, func(show.Terminal) error {
				a.say("What %s has of %s is read.", show.Text(args[0]), show.Text(args[1]))
				return nil
			})
		},
	}
}

func (a *App) messageReadAll() *cobra.Command {
	var app, category string
	c := &cobra.Command{
		Use: "read-all USER", Short: "Mark all messages of a user as read", Args: takes,
		Long: `read-all marks what is in the user's inbox now as read. What arrives meanwhile stays unread.`,
		Example: `  hubctl message read-all alice
  hubctl message read-all alice --app erp`,
		RunE: func(c *cobra.Command, args []string) error { return a.readAll(c.Context(), args[0], app, category) },
	}
	c.Flags().StringVar(&app, "app", "", "only of this sender")
	c.Flags().StringVar(&category, "category", "", "only of this category")
	return c
}

func (a *App) readAll(ctx context.Context, user, app, category string) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	page, err := client.Call(ctx, api.Request{
		Method: http.MethodGet, Path: inboxPath, Query: url.Values{"username": {user}, "cursor": {""}, "size": {"1"}},
	})
	if err != nil {
		return err
	}
	if page.Page.Watermark == "" {
		return errors.New("this Hub is older than read-all: its inbox has no watermark")
	}
	answer, err := client.Call(ctx, api.Request{
		Method: http.MethodPost, Path: inboxPath + "/read-all",
		Body: map[string]string{"username": user, "upTo": page.Page.Watermark, "sourceAppId": app, "category": category},
	})
	if err != nil {
		return err
	}
	var done struct {
		Switched int64 `json:"switched"`
	}
	if err := json.Unmarshal(answer.Data, &done); err != nil {
		return err
	}
	return a.print(done, func(show.Terminal) error {
		a.say("Marked %s of %s as read.", count(done.Switched, "message"), show.Text(user))
		return nil
	})
}

// ask makes one call and reads its data; nil reads nothing.
func (a *App) ask(ctx context.Context, r api.Request, data any) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	answer, err := client.Call(ctx, r)
	if err != nil || data == nil {
		return err
	}
	return json.Unmarshal(answer.Data, data)
}
