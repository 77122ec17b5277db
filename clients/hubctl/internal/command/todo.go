package command

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

const todosPath = "/todo-hub/todos"

// item is what is shown of a todo.
type item struct {
	ID            string  `json:"id"`
	Type          string  `json:"type"`
	Status        string  `json:"status"`
	Assignee      string  `json:"assigneeUsername"`
	Title         string  `json:"title"`
	Summary       string  `json:"summary"`
	Category      string  `json:"category"`
	SourceSystem  string  `json:"sourceSystem"`
	SourceBizID   string  `json:"sourceBizId"`
	ActionURL     string  `json:"actionUrl"`
	DueAt         *string `json:"dueAt"`
	Result        string  `json:"result"`
	Reason        string  `json:"reason"`
	ClearedBy     string  `json:"clearedBy"`
	ClearedAt     *string `json:"clearedAt"`
	ModifyTime    string  `json:"modifyTime"`
	SourceVersion *int64  `json:"sourceVersion"`
}

func (a *App) todo() *cobra.Command {
	return group("todo", "Report, list and finish todos",
		"todo reports what a user must handle or read, lists it, and finishes it when that is done.",
		a.todoUpsert(), a.todoList(), a.todoClear(), a.todoInvalidate(), a.todoReconcile())
}

func (a *App) todoList() *cobra.Command {
	var p pages
	var status, kind string
	c := &cobra.Command{
		Use: "list [USER]", Short: "List the todos of a user, or of everybody", Args: takes,
		Long: `list shows todos, those changed last first. By default they are what is open to handle.`,
		Example: `  hubctl todo list alice
  hubctl todo list alice --type review --status cleared
  hubctl todo list --status all --all -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			query := url.Values{}
			upper(query, "type", kind)
			upper(query, "status", status)
			if len(args) > 0 {
				query.Set("assigneeUsername", args[0])
			}
			p.all = p.all || strings.EqualFold(status, "all") // only lists with a cursor have all
			columns := []string{"ID", "TYPE", "STATUS", "ASSIGNEE", "TITLE", "DUE", "CHANGED"}
			return a.list(c.Context(), todosPath, query, p, columns, todoRow)
		},
	}
	p.flags(c)
	c.Flags().StringVar(&status, "status", "open", "open, cleared, invalid or all")
	c.Flags().StringVar(&kind, "type", "handle", "handle or review")
	a.completes(c, "status", oneOf("open", "cleared", "invalid", "all"))
	a.completes(c, "type", oneOf("handle", "review"))
	return c
}

func todoRow(raw json.RawMessage) ([]show.Cell, error) {
	var i item
	err := json.Unmarshal(raw, &i)
	row := show.Cells(i.ID, i.Type, i.Status, i.Assignee, i.Title, instant(i.DueAt), i.ModifyTime)
	row[2].Style = todoStyle(i.Status)
	return row, err
}

func todoStyle(status string) show.Style {
	switch status {
	case "OPEN":
		return show.Odd
	case "CLEARED":
		return show.Good
	}
	return show.Faint
}

func (a *App) todoClear() *cobra.Command {
	var body struct {
		Result        string `json:"result"`
		ClearedBy     string `json:"clearedBy,omitempty"`
		ClearedAt     string `json:"clearedAt,omitempty"`
		Reason        string `json:"reason,omitempty"`
		SourceVersion *int64 `json:"sourceVersion,omitempty"`
	}
	c := &cobra.Command{
		Use: "clear ID", Short: "Finish a todo that was handled or read", Args: takes,
		Long: `clear finishes a todo. Clearing it again changes nothing; a todo that was invalidated is refused.`,
		Example: `  hubctl todo clear po-1 --result approved --by alice
  hubctl todo clear po-1 --result approved --source-version 7`,
	}
	c.Flags().StringVar(&body.Result, "result", "", "what came out, in words of your own (required)")
	c.Flags().StringVar(&body.ClearedBy, "by", "", "who did it")
	c.Flags().StringVar(&body.ClearedAt, "at", "", "when, such as 2030-01-02T15:04:05Z; now by default")
	c.Flags().StringVar(&body.Reason, "reason", "", "why")
	version := versionFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		body.SourceVersion = version()
		return a.change(c.Context(), api.Request{
			Method: http.MethodPost, Path: todosPath + api.Path(args[0], "clear"), Body: body,
		})
	}
	return c
}

func (a *App) todoInvalidate() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "invalidate ID", Short: "Withdraw a todo", Args: takes,
		Long:    `invalidate withdraws a todo that nobody has to handle any more. Doing it again changes nothing; a todo that was cleared is refused.`,
		Example: `  hubctl todo invalidate po-1 --reason withdrawn`,
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	version := versionFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		query := url.Values{}
		if reason != "" {
			query.Set("reason", reason)
		}
		if v := version(); v != nil {
			query.Set("sourceVersion", strconv.FormatInt(*v, 10))
		}
		return a.change(c.Context(), api.Request{
			Method: http.MethodPost, Path: todosPath + api.Path(args[0], "invalidate"), Query: query,
		})
	}
	return c
}

// versionFlag adds a flag for the version of a change; it gives nil where the flag is not there.
func versionFlag(c *cobra.Command) func() *int64 {
	version := c.Flags().Int64("source-version", 0, "version of this change at the source; an older one changes nothing")
	return func() *int64 {
		if !c.Flags().Changed("source-version") {
			return nil
		}
		return version
	}
}

// change changes one todo and shows it.
func (a *App) change(ctx context.Context, r api.Request) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	answer, err := client.Call(ctx, r)
	if err != nil {
		return err
	}
	changed := struct {
		Todo  json.RawMessage `json:"todo"`
		Stale bool            `json:"stale"`
	}{answer.Data, answer.Header.Get("Hub-Stale") == "true"}
	if changed.Stale {
		a.note("nothing was changed: the stored source version is newer")
	}
	return a.print(changed, func(to show.Terminal) error { return a.showTodo(to, answer.Data) })
}

func (a *App) showTodo(to show.Terminal, raw json.RawMessage) error {
	var i item
	if err := json.Unmarshal(raw, &i); err != nil {
		return err
	}
	version := ""
	if i.SourceVersion != nil {
		version = strconv.FormatInt(*i.SourceVersion, 10)
	}
	plain := func(name, value string) show.Field { return show.Field{Name: name, Value: show.Cell{Text: value}} }
	return show.Fields(a.Out, to, []show.Field{
		plain("todo", i.ID),
		{Name: "status", Value: show.Cell{Text: i.Status, Style: todoStyle(i.Status)}},
		plain("type", i.Type), plain("assignee", i.Assignee), plain("title", i.Title), plain("summary", i.Summary),
		plain("category", i.Category), plain("source", i.SourceSystem+", "+i.SourceBizID), plain("url", i.ActionURL),
		plain("due", instant(i.DueAt)), plain("version", version), plain("result", i.Result), plain("reason", i.Reason),
		plain("cleared by", i.ClearedBy), plain("cleared at", instant(i.ClearedAt)), plain("changed", i.ModifyTime),
	})
}
