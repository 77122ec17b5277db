package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"example.com/hub/test/shape"
)

// callTimeout is longer than any call of Hub may take.
const callTimeout = 10 * time.Second

// portal calls Hub through one address: an edge, or what balances edges.
type portal struct {
	address, token string
	client         *http.Client
	// topics are those of its streams; empty is the default.
	topics string
}

// newPortal gets a token for the client erp.
func newPortal(ctx context.Context, address string) (*portal, error) {
	p := &portal{address: address, client: &http.Client{
		Timeout:   callTimeout,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	var err error
	if p.token, err = shape.Token(ctx, p.client, "http://"+address); err != nil {
		return nil, err
	}
	return p, nil
}

// fresh gives a portal that makes a new connection for each call.
func (p *portal) fresh() *portal {
	return &portal{address: p.address, token: p.token, client: &http.Client{
		Timeout: callTimeout, Transport: &http.Transport{DisableKeepAlives: true},
	}}
}

func (p *portal) do(req *http.Request, answer any) error {
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	return json.Unmarshal(body, answer)
}

func (p *portal) call(ctx context.Context, method, path string, body, answer any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.address+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	return p.do(req, answer)
}

// envelope is what is of interest of an answer.
type envelope struct {
	Code string `json:"code"`
}

func (p *portal) push(ctx context.Context, id string, users []string) error {
	message := map[string]any{"sourceMessageId": id, "targetUsernames": users, "title": "t", "content": "c"}
	return p.succeed(ctx, "/message-hub/messages", message)
}

func (p *portal) report(ctx context.Context, id, user string) error {
	todo := map[string]any{
		"todoId": id, "type": "HANDLE", "sourceBizId": "1", "assigneeUsername": user,
		"title": "t", "category": "c", "actionUrl": "/1",
	}
	return p.succeed(ctx, "/todo-hub/todos", todo)
}

func (p *portal) read(ctx context.Context, id, user string) error {
	return p.succeed(ctx, "/message-hub/messages/"+url.PathEscape(id)+"/read?username="+url.QueryEscape(user), nil)
}

func (p *portal) succeed(ctx context.Context, path string, body any) error {
	var answer envelope
	if err := p.call(ctx, http.MethodPost, path, body, &answer); err != nil {
		return err
	}
	if answer.Code != "0" {
		return fmt.Errorf("200 with code %q", answer.Code)
	}
	return nil
}

// inbox gives a user's records: the id of each, which its event has, and that of its message.
func (p *portal) inbox(ctx context.Context, user string) (map[string]string, error) {
	const size = 200
	messages := map[string]string{}
	for page := 0; ; page++ {
		var answer struct {
			Data []struct {
				ID              string `json:"id"`
				SourceMessageID string `json:"sourceMessageId"`
			} `json:"data"`
		}
		path := fmt.Sprintf("/message-hub/inbox?username=%s&size=%d&page=%d", url.QueryEscape(user), size, page)
		if err := p.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, fmt.Errorf("inbox of %s: %w", user, err)
		}
		for _, record := range answer.Data {
			messages[record.ID] = record.SourceMessageID
		}
		if len(answer.Data) < size {
			return messages, nil
		}
	}
}
