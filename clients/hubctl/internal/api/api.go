// Package api calls the REST interface of a Hub.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	hub "example.com/hub/clients/go"
	"example.com/hub/pkg/telemetry/requestid"
)

// maxAnswer bounds what is read of an answer, in bytes. A page of 1,000 entries at their limits has less.
const maxAnswer = 256 << 20

// Client calls one Hub.
type Client struct {
	// Base is the address, without a slash at its end.
	Base string
	// HTTP makes the requests.
	HTTP *http.Client
	// Tokens give the token of each call.
	Tokens hub.TokenSource
	// Timeout bounds each call; 0 leaves it to the context.
	Timeout time.Duration
	// UserAgent names the program.
	UserAgent string
}

// Request is a call. Path segments are escaped by [Path].
type Request struct {
	Method string
	Path   string
	Query  url.Values
	// Body is sent as JSON; nil is none. A json.RawMessage is sent as it is.
	Body any
}

// Path joins segments, of which each may hold any characters.
func Path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	return b.String()
}

// Answer is a success.
type Answer struct {
	Data   json.RawMessage
	Page   Page
	Header http.Header
}

// Page tells of a list where this page of it stands. Total is of lists by number, the others are of those by
// cursor.
type Page struct {
	Total      int64  `json:"totalCount"`
	NextCursor string `json:"nextCursor"`
	Watermark  string `json:"watermark"`
}

// Call makes a call. It fails with a *Refused, an *Unreachable, a *hub.Error of the token, or the error of
// the context. A token that is not taken is replaced once.
func (c *Client) Call(ctx context.Context, r Request) (Answer, error) {
	a, token, err := c.call(ctx, r)
	if refused := new(Refused); errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		c.Tokens.Refused(token)
		a, _, err = c.call(ctx, r)
	}
	return a, err
}

func (c *Client) call(ctx context.Context, r Request) (_ Answer, token string, err error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errSlow)
		defer cancel()
	}
	token, err = c.Tokens.Token(ctx)
	if err != nil {
		return Answer{}, "", err
	}
	request, err := c.request(ctx, r)
	if err != nil {
		return Answer{}, token, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := c.HTTP.Do(request)
	if err != nil {
		return Answer{}, token, c.unreachable(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return Answer{}, token, c.unreachable(ctx, err)
	}
	a, err := answer(response, text)
	return a, token, err
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if r.Body != nil {
		text, err := json.Marshal(r.Body)
		if raw, ok := r.Body.(json.RawMessage); ok {
			text, err = raw, nil
		}
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	address := c.Base + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, body)
	if err != nil {
		return nil, err
	}
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("User-Agent", c.UserAgent)
	return request, nil
}

// answer reads the envelope. What has none, as the page of a proxy, is a refusal by its status.
func answer(response *http.Response, text []byte) (Answer, error) {
	var envelope struct {
		Code string          `json:"code"`
		Msg  string          `json:"msg"`
		Data json.RawMessage `json:"data"`
		Page Page            `json:"page"`
	}
	err := json.Unmarshal(text, &envelope)
	if err == nil && envelope.Code == "0" && response.StatusCode == http.StatusOK {
		return Answer{Data: envelope.Data, Page: envelope.Page, Header: response.Header}, nil
	}
	refused := &Refused{
		Status: response.StatusCode, Msg: envelope.Msg, RequestID: response.Header.Get(requestid.Header),
		Call: response.Request.Method + " " + response.Request.URL.EscapedPath(),
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refused.RetryAfter = time.Duration(seconds) * time.Second
	}
	if err != nil || envelope.Code == "" {
		refused.Msg = fmt.Sprintf("the answer is not Hub's: %s, %s", response.Status, response.Header.Get("Content-Type"))
	}
	return Answer{}, refused
}
