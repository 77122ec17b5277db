package command

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

func (a *App) time() *cobra.Command {
	return &cobra.Command{
		Use: "time", Short: "Print the time by Hub's clock", Args: takes,
		Long:    `time prints what Hub's clock says, to the second, as todo reconcile --as-of takes it.`,
		Example: `  AS_OF=$(hubctl time)`,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			answer, err := client.Call(c.Context(), api.Request{
				Method: http.MethodGet, Path: "/message-hub/unread-count", Query: url.Values{"username": {"hubctl-time"}},
			})
			if err != nil {
				return err
			}
			date, err := http.ParseTime(answer.Header.Get("Date"))
			if err != nil {
				return fmt.Errorf("the answer has no Date: %w", err)
			}
			now := struct {
				Time string `json:"time"`
			}{date.UTC().Format(time.RFC3339)}
			return a.print(now, func(show.Terminal) error { a.say("%s", now.Time); return nil })
		},
	}
}
