package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// request is one HTTP call; path is escaped and may hold a query.
type request struct {
	method string
	path   string
	// header is sent as it is. A Content-Type without a value keeps the default from being set.
	header http.Header
	body   []byte
}

// answer is what came back, read to its end.
type answer struct {
	request
	s      *suite
	status int
	got    http.Header
	data   []byte
}

// caller is a client with its token.
type caller struct {
	s     *suite
	cred  Credentials
	scope string

	mu      sync.Mutex
	token   string
	renewAt time.Time
}

func newCaller(s *suite, cred Credentials, scope string) *caller {
	return &caller{s: s, cred: cred, scope: scope}
}

// bearer gives a token that is good for the next minutes, and fetches one when there is none.
func (c *caller) bearer(t *testing.T) string {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != "" && time.Now().Before(c.renewAt) {
		return c.token
	}
	a := c.s.send(t, tokenRequest(c.s, url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {c.cred.ID},
		"client_secret": {c.cred.Secret},
		"scope":         {c.scope},
	}))
	if a.status != http.StatusOK {
		t.Fatalf("no token for client %s: %s", c.cred.ID, a)
	}
	var token struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.Unmarshal(a.data, &token); err != nil {
		t.Fatalf("read the token answer: %v", err)
	}
	c.token = token.AccessToken
	c.renewAt = time.Now().Add(time.Duration(token.ExpiresIn) * time.Second / 2)
	return c.token
}

// send calls with the caller's token, unless the header has an Authorization already.
func (c *caller) send(t *testing.T, r request) answer {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + c.bearer(t)}}
	maps.Copy(header, r.header)
	r.header = header
	return c.s.send(t, r)
}

func (c *caller) get(t *testing.T, path string) answer {
	t.Helper()
	return c.send(t, request{method: http.MethodGet, path: path})
}

// post sends a JSON body: bytes as they are, anything else marshalled.
func (c *caller) post(t *testing.T, path string, body any) answer {
	t.Helper()
	return c.send(t, request{method: http.MethodPost, path: path, body: marshal(t, body)})
}

// together makes calls at the same time and gives their answers.
func (c *caller) together(t *testing.T, requests ...request) []answer {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + c.bearer(t)}}
	answers, failures := make([]answer, len(requests)), make([]error, len(requests))
	var calls sync.WaitGroup
	for i, r := range requests {
		r.header = header
		calls.Go(func() { answers[i], failures[i] = c.s.attempt(t.Context(), r) })
	}
	calls.Wait()
	for i, a := range answers {
		if failures[i] != nil {
			t.Fatal(failures[i])
		}
		a.check(t)
	}
	return answers
}

// send calls the target without a token of its own and checks what holds for every answer.
func (s *suite) send(t *testing.T, r request) answer {
	t.Helper()
	a, err := s.attempt(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a.check(t)
	return a
}

// attempt makes a call and reads the answer to its end.
func (s *suite) attempt(ctx context.Context, r request) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	response, err := s.do(ctx, r)
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", r.method, short(r.path), err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: read the answer: %w", r.method, short(r.path), err)
	}
	return answer{request: r, s: s, status: response.StatusCode, got: response.Header, data: data}, nil
}

// do sends a request and leaves the body of the answer to the caller.
func (s *suite) do(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	hr, err := http.NewRequestWithContext(ctx, r.method, s.base.String()+r.path, body)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if r.body != nil {
		hr.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(hr.Header, r.header)
	if values, ok := r.header["Content-Type"]; ok && len(values) == 0 {
		hr.Header.Del("Content-Type")
	}
	response, err := s.http.Do(hr)
	if err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	return response, nil
}

// check holds the answer against the OpenAPI document and against what no answer may do.
func (a answer) check(t *testing.T) {
	t.Helper()
	if a.status >= http.StatusInternalServerError {
		t.Errorf("an answer must never be a 5xx here: %s", a)
	}
	notModified := a.status == http.StatusNotModified && len(a.header["If-None-Match"]) > 0
	if a.status >= http.StatusMultipleChoices && a.status < http.StatusBadRequest && !notModified {
		t.Errorf("an answer must never be a redirect: %s", a)
	}
	for name := range a.got {
		if strings.HasPrefix(name, "Grpc-") {
			t.Errorf("the answer leaks the header %s: %s", name, a)
		}
	}
	if a.s.api == nil || a.path == documentPath {
		return
	}
	if a.s.set.ErrorStatus200 && a.status == http.StatusOK && bytes.Contains(a.data, []byte(`"-1"`)) {
		// The document describes the statuses of the default setting.
		return
	}
	if err := a.s.api.validate(a.method, a.path, a.status, a.got, a.data); err != nil {
		t.Errorf("the answer does not match the OpenAPI document: %v\n%s", err, a)
	}
}

// String is for messages of failing cases; it shows neither headers nor the forms that hold secrets.
func (a answer) String() string {
	body := short(string(a.body))
	if strings.HasPrefix(a.path, a.s.target.tokenPath()) {
		body = "(form)"
	}
	return fmt.Sprintf("%s %s %s -> %d %s", a.method, short(a.path), body, a.status, short(string(a.data)))
}

// short cuts what would flood a message.
func short(text string) string {
	const limit = 400
	if len(text) <= limit {
		return text
	}
	return fmt.Sprintf("%.*s... (%d bytes)", limit, text, len(text))
}

// marshal gives the JSON of a body; bytes and strings are taken as they are.
func marshal(t *testing.T, body any) []byte {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case []byte:
		return b
	case string:
		return []byte(b)
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatalf("marshal a request: %v", err)
	}
	return data
}

// fields is a request body that a case takes apart.
type fields map[string]any

// with gives a copy with one more or another field.
func (f fields) with(name string, value any) fields {
	changed := maps.Clone(f)
	changed[name] = value
	return changed
}

// without gives a copy that lacks the fields.
func (f fields) without(names ...string) fields {
	changed := maps.Clone(f)
	for _, name := range names {
		delete(changed, name)
	}
	return changed
}
