package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

// largestPush is how many targets one call takes, unless HUB_MAX_TARGETS says otherwise.
const largestPush = 10_000

func (a *App) messagePush() *cobra.Command {
	var to, actions []string
	var toFile string
	c := &cobra.Command{
		Use: "push", Short: "Push a message to users", Args: takes,
		Long: `push gives each user a message, once: a push that is repeated stores nothing new. Any number
of users is reached in calls of 10,000. Flags win over the file.`,
		Example: `  hubctl message push --id m-1 --to alice,bob --title Maintenance --content 'Tonight at ten.'
  hubctl message push --id m-2 --to-file everybody.txt --title News --content 'Read on.' \
    --action 'Read=https://intra.example/news/2'
  hubctl message push -f message.json`,
	}
	body := bodyFlags(c)
	body.text("id", "sourceMessageId", "id of the message at the sender (required)")
	body.text("title", "title", "title (required)")
	body.text("content", "content", "text (required)")
	body.text("category", "category", "kind of the message")
	body.text("occurred-at", "occurredAt", "when it happened, such as 2030-01-02T15:04:05Z; now by default")
	c.Flags().StringSliceVar(&to, "to", nil, "users, with commas between (required)")
	c.Flags().StringVar(&toFile, "to-file", "", "file with a user in each line; - is standard input")
	c.Flags().StringArrayVar(&actions, "action", nil, "a button, as LABEL=URL; may be repeated")
	c.RunE = func(c *cobra.Command, _ []string) error {
		text, err := body.read(a.In)
		if err != nil {
			return err
		}
		object := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &object); err != nil {
			return err
		}
		if toFile != "" {
			text, err := readFile(toFile, a.In)
			if err != nil {
				return err
			}
			to = append(to, lines(text)...)
		}
		if err := addActions(object, actions); err != nil {
			return err
		}
		return a.push(c.Context(), object, to)
	}
	return c
}

func lines(text []byte) []string {
	var all []string
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all = append(all, string(line))
		}
	}
	return all
}

func addActions(object map[string]json.RawMessage, actions []string) error {
	type action struct {
		Label string `json:"label"`
		URL   string `json:"url"`
	}
	var list []action
	for _, text := range actions {
		label, url, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--action must be LABEL=URL, not %q", text)
		}
		list = append(list, action{label, url})
	}
	if list == nil {
		return nil
	}
	var err error
	object["actions"], err = json.Marshal(list)
	return err
}

// push sends the message to its targets, those of the flags in the place of the file's.
func (a *App) push(ctx context.Context, object map[string]json.RawMessage, to []string) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	if to == nil && object["targetUsernames"] != nil {
		if err := json.Unmarshal(object["targetUsernames"], &to); err != nil {
			return errors.New("targetUsernames of the file must be an array of strings")
		}
	}
	var done struct {
		Created    int `json:"created"`
		Duplicates int `json:"duplicates"`
	}
	chunks := slices.Collect(slices.Chunk(to, largestPush))
	if chunks == nil {
		chunks = [][]string{nil} // Hub says what is missing
	}
	for _, chunk := range chunks {
		if chunk != nil {
			if object["targetUsernames"], err = json.Marshal(chunk); err != nil {
				return err
			}
		}
		answer, err := client.Call(ctx, api.Request{Method: http.MethodPost, Path: messagesPath, Body: object})
		if err != nil {
			return err
		}
		created, _ := strconv.Atoi(answer.Header.Get("Hub-Created")) // a proxy may take the header out
		duplicates, _ := strconv.Atoi(answer.Header.Get("Hub-Duplicates"))
		done.Created += created
		done.Duplicates += duplicates
	}
	return a.print(done, func(show.Terminal) error {
		a.say("Pushed to %s; %d had it already.", count(done.Created, "user"), done.Duplicates)
		return nil
	})
}
