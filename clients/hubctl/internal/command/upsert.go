package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
)

func (a *App) todoUpsert() *cobra.Command {
	c := &cobra.Command{
		Use: "upsert", Short: "Report a todo, or report it again", Args: takes,
		Long: `upsert reports a todo. A second report of the same id replaces every field and leaves the
status: what is finished stays finished. Flags win over the file.`,
		Example: `  hubctl todo upsert --id po-1 --type handle --biz-id 1 --assignee alice \
    --title 'Approve order 1' --category order --url https://erp.example/po/1
  hubctl todo upsert -f todo.json
  jq .todo event.json | hubctl todo upsert -f - --assignee bob`,
	}
	body := bodyFlags(c)
	body.text("id", "todoId", "id of the todo, one for all of Hub (required)")
	body.text("type", "type", "handle or review (required)")
	body.text("biz-id", "sourceBizId", "business key at the source (required)")
	body.text("assignee", "assigneeUsername", "user who handles or reads it (required)")
	body.text("title", "title", "title (required)")
	body.text("category", "category", "kind of the item (required)")
	body.text("url", "actionUrl", "where it is handled (required)")
	body.text("summary", "summary", "what it is about")
	body.text("initiator", "initiatorUsername", "user who began it")
	body.text("due", "dueAt", "when it is due, such as 2030-01-02T15:04:05Z")
	body.text("app-id", "actionAppId", "application in which it is handled")
	body.text("event-ref", "eventCenterRef", "its place in the event center")
	body.json("payload", "payload", "any JSON, for whoever shows it")
	body.json("source-version", "sourceVersion", "version of this change at the source; an older one changes nothing")
	a.completes(c, "type", oneOf("handle", "review"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		text, err := body.read(a.In)
		if err != nil {
			return err
		}
		return a.change(c.Context(), api.Request{
			Method: http.MethodPost, Path: todosPath, Query: url.Values{"view": {"full"}}, Body: text,
		})
	}
	return c
}

// body is a JSON object of a file and of flags.
type body struct {
	command *cobra.Command
	file    string
	fields  []bodyField
}

type bodyField struct {
	flag, name string
	raw        bool // the flag has JSON
	value      *string
}

func bodyFlags(c *cobra.Command) *body {
	b := &body{command: c}
	c.Flags().StringVarP(&b.file, "file", "f", "", "file with the JSON object of the call; - is standard input")
	return b
}

// text adds a flag for a string.
func (b *body) text(flag, name, help string) {
	b.fields = append(b.fields, bodyField{flag, name, false, b.command.Flags().String(flag, "", help)})
}

// json adds a flag for a value in JSON.
func (b *body) json(flag, name, help string) {
	b.fields = append(b.fields, bodyField{flag, name, true, b.command.Flags().String(flag, "", help)})
}

// read gives the object. A file without flags goes as it is, since Hub keeps a payload byte for byte.
func (b *body) read(in io.Reader) (json.RawMessage, error) {
	object := map[string]json.RawMessage{}
	var text []byte
	if b.file != "" {
		var err error
		if text, err = readFile(b.file, in); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &object); err != nil || object == nil {
			return nil, errors.New("the file must hold one JSON object")
		}
	}
	changed := false
	for _, f := range b.fields {
		if !b.command.Flags().Changed(f.flag) {
			continue
		}
		changed = true
		value, err := json.Marshal(*f.value)
		if err != nil {
			return nil, err
		}
		if f.raw {
			value = []byte(*f.value)
		}
		if !json.Valid(value) {
			return nil, fmt.Errorf("--%s must be JSON", f.flag)
		}
		object[f.name] = value
	}
	if !changed && text != nil {
		return text, nil
	}
	return json.Marshal(object)
}

// readFile reads a file whole; - is standard input.
func readFile(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}
