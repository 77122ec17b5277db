package socket

import (
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/topic"
)

// The refusals of a handshake.
var (
	otherOrigin = front.Failure{Status: http.StatusForbidden, Msg: "a session cookie does not count in a socket of another origin"}
	noHandshake = front.Failure{Status: http.StatusUpgradeRequired, Msg: "this path speaks WebSocket, version 13, over HTTP/1.1"}
)

// Serve makes the request's connection a socket of the user with some topics, and returns; the socket goes on after the
// handler. It keeps neither w nor r. When it gives a failure, nothing was written.
func (b *Broker) Serve(w http.ResponseWriter, r *http.Request, user string, topics topic.Set) *front.Failure {
	// A page of another origin that has the cookie is a sibling's (RFC 6455, section 10.2). With a bearer
	// token it is not asked: no page can send one.
	if p, _ := auth.From(r.Context()); p.Session != "" && !b.deps.OwnOrigin(r.Header["Origin"]) {
		return &otherOrigin
	}
	if !b.users.reserve(b.deps.MaxSockets) {
		b.refused.Add(1)
		return &front.Unavailable
	}
	now := b.deps.Clock()
	c := &client{topics: topics, epoch: b.epoch.Load(), login: life.LoginOf(r, now), opened: now}
	if topics&topic.Inbox != 0 {
		c.told = unknown
	}
	t := &taker{ResponseWriter: w, client: c}
	ws, err := websocket.Accept(t, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // of the origin, above
		OnPongReceived:     c.answered,
	})
	if err != nil {
		b.users.giveBack()
		return t.failure()
	}
	c.ws = ws
	if left, ok := life.Expiry(r, b.deps.CloseAtExpiry, now); ok {
		c.expiry = time.AfterFunc(left, func() { c.end(over) })
	}
	b.enter(c, strings.Clone(user)) // the name may be a part of the request's buffer
	go b.hold(c)
	return nil
}

// failure is the answer to what the library has refused.
func (t *taker) failure() *front.Failure {
	if !t.refused {
		return &front.InternalError // the connection is gone
	}
	h := t.Header()
	h.Set("Connection", "Upgrade")
	h.Set("Upgrade", "websocket")
	h.Set("Sec-WebSocket-Version", "13")
	return &noHandshake
}

// enter lets the client be found, and has its count told. Whatever happened to it before, it ends now.
func (b *Broker) enter(c *client, user string) {
	oldest, draining := b.users.enter(c, user, b.deps.PerUser)
	switch {
	case draining:
		c.end(drained)
	case c.login.Session != "" && b.deps.Sessions.Ended(c.login.Session):
		c.end(over)
	}
	if oldest != nil {
		oldest.end(replaced)
	}
	b.counter.changed(user)
}

// hold is a socket's goroutine.
func (b *Broker) hold(c *client) {
	how := c.read()
	if c.expiry != nil {
		c.expiry.Stop()
	}
	b.closed[how].Add(1)
	b.users.leave(c)
}

// logout ends the sockets of a user's session.
func (b *Broker) logout(user, login string) {
	for _, c := range b.users.of(nil, user) {
		if login != "" && c.login.Session == login {
			c.end(over)
		}
	}
}

// visits ask for the sessions of the sockets.
func (b *Broker) visits() *life.Visits[*client] {
	return &life.Visits[*client]{
		Sessions: b.deps.Sessions, Clock: b.deps.Clock,
		Open:  func() iter.Seq[*client] { return slices.Values(b.users.all()) },
		Login: func(c *client) *life.Login { return &c.login },
		End:   func(c *client) { c.end(over) },
	}
}
