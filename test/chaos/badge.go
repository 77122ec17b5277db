package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"

	"github.com/coder/websocket"
)

// badge is a page that shows what its socket says is unread, and knows nothing else.
type badge struct {
	user string

	mu     sync.Mutex
	unread int64 // what it shows; -1 before the first count
	counts int
	ended  error
}

// openBadge opens the socket of a user, which is followed until ctx ends.
func (p *portal) openBadge(ctx context.Context, user string, following *sync.WaitGroup) (*badge, error) {
	address := "http://" + p.address + "/message-hub/ws?user=" + url.QueryEscape(user)
	conn, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{ //nolint:bodyclose // it need never be closed
		HTTPHeader: http.Header{"Authorization": {"Bearer " + p.token}},
	})
	if err != nil {
		return nil, err
	}
	b := &badge{user: user, unread: -1}
	following.Go(func() { b.follow(ctx, conn) })
	return b, nil
}

func (b *badge) follow(ctx context.Context, conn *websocket.Conn) {
	defer func() { _ = conn.CloseNow() }()
	for {
		_, text, err := conn.Read(ctx)
		var message struct{ Unread *int64 }
		if err == nil {
			err = json.Unmarshal(text, &message)
		}
		b.mu.Lock()
		switch {
		case err != nil:
			b.ended = err
		case message.Unread != nil:
			b.unread = *message.Unread
			b.counts++
		}
		b.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// shows is what the page shows, and whether its socket has ended.
func (b *badge) shows() (unread int64, counts int, ended error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unread, b.counts, b.ended
}

// unread is a user's count.
func (p *portal) unread(ctx context.Context, user string) (int64, error) {
	var answer struct{ Data int64 }
	err := p.call(ctx, http.MethodGet, "/message-hub/unread-count?username="+url.QueryEscape(user), nil, &answer)
	return answer.Data, err
}
