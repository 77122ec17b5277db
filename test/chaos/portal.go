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

// newPortal gets a token for a client.
func newPortal(ctx context.Context, address, client string) (*portal, error) {
	p := &portal{address: address, client: &http.Client{
		Timeout:   callTimeout,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	var err error
	if p.token, err = shape.TokenOf(ctx, p.client, "http://"+address, client); err != nil {
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

// reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// send makes a call and gives whatever is answered.
func (p *portal) send(ctx context.Context, method, path string, body any) (*reply, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.address+path, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	answer := &reply{status: resp.StatusCode, header: resp.Header}
	answer.body, err = io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return answer, err
}

func (p *portal) call(ctx context.Context, method, path string, body, answer any) error {
	r, err := p.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return fmt.Errorf("%d: %s", r.status, r.body)
	}
	return json.Unmarshal(r.body, answer)
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
	messages := map[string]string{}
	records, err := p.records(ctx, user)
	for _, r := range records {
		messages[r.ID] = r.SourceMessageID
	}
	return messages, err
}

// record is an entry of an inbox.
type record struct {
	ID              string `json:"id"`
	SourceMessageID string `json:"sourceMessageId"`
	SourceAppID     string `json:"sourceAppId"`
	Content         string `json:"content"`
	Status          string `json:"status"`
}

func (p *portal) records(ctx context.Context, user string) ([]record, error) {
	return list[record](ctx, p, "/message-hub/inbox?username="+url.QueryEscape(user))
}

// item is a todo.
type item struct {
	ID            string `json:"id"`
	Title         string `json:"title"`
	SourceSystem  string `json:"sourceSystem"`
	SourceVersion int64  `json:"sourceVersion"` // 0 is none, too
}

func (p *portal) todos(ctx context.Context, user string) ([]item, error) {
	return list[item](ctx, p, "/todo-hub/todos?view=full&type=HANDLE&sort=id,asc&assigneeUsername="+url.QueryEscape(user))
}

// list fetches all pages of a list.
func list[T any](ctx context.Context, p *portal, path string) ([]T, error) {
	const size = 200
	var all []T
	for page := 0; ; page++ {
		var answer struct {
			Data []T `json:"data"`
		}
		if err := p.call(ctx, http.MethodGet, fmt.Sprintf("%s&size=%d&page=%d", path, size, page), nil, &answer); err != nil {
			return nil, fmt.Errorf("GET %s: %w", path, err)
		}
		all = append(all, answer.Data...)
		if len(answer.Data) < size {
			return all, nil
		}
	}
}
