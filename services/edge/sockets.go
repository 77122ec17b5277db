package edge

import (
	"context"
	"fmt"
	"time"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/socket"
)

// countTimeout bounds a call for the counts of many users.
const countTimeout = 5 * time.Second

func newSockets(d Deps, feed *catchup.Feed) (*socket.Broker, error) {
	deps := socket.Deps{
		Events:        feed,
		Counts:        unread{messagev1.NewMessageServiceClient(asEdge(d.Messages, d.InternalKey))},
		CloseAtExpiry: d.Config.CloseAtExpiry,
		Heartbeat:     d.Config.Heartbeat,
		MaxSockets:    d.Config.MaxSockets,
		PerUser:       d.Config.SocketsPerUser,
		DrainSpread:   d.Config.DrainSpread,
		Logger:        d.Logger,
		Clock:         d.Clock,
	}
	if d.Sessions != nil {
		deps.Sessions, deps.OwnOrigin = d.Sessions, d.Sessions.OwnOrigin
	}
	return socket.New(deps)
}

// unread asks messagehub for unread records.
type unread struct {
	calls messagev1.MessageServiceClient
}

// Unread implements socket.Counts.
func (u unread) Unread(ctx context.Context, users []string) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	resp, err := u.calls.CountUnreadBatch(ctx, &messagev1.CountUnreadBatchRequest{Usernames: users})
	if err != nil {
		return nil, fmt.Errorf("count unread: %w", err)
	}
	if n := len(resp.GetCounts()); n != len(users) {
		return nil, fmt.Errorf("count unread: %d counts of %d users", n, len(users))
	}
	return resp.GetCounts(), nil
}
