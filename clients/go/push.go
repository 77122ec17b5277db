package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
)

// Pushed is what became of a push.
type Pushed struct {
	// Created are the records that were stored, and Duplicates the targets that had one already. A target that is
	// repeated counts once in a call of Hub, and as a duplicate where a later call has it again.
	Created, Duplicates int64
	// Targets are how many targets are done, from the front of the list. After an error, go on with the rest:
	// those behind them.
	Targets int
}

// Push sends one message to any number of target_usernames, or target_user_ids where there are none, in as many
// calls as it takes: of Config.MaxTargets and 4 MiB. They come one after the other, each with a deadline of its
// own, and all with one occurred_at: now, by the clock of this machine, where more than one call needs one.
//
// When it fails on the way, the targets before Pushed.Targets have the message, those of the call that failed may
// have it, and the others do not. So a target that Hub refuses, which Error.Field names by its place in the whole
// list, keeps a message from all only where one call has room for all. To go on, push again with the same
// source_message_id and occurred_at, and the rest of the targets or all of them: nobody gets the message twice.
func (c *Client) Push(ctx context.Context, r *messagev1.PushMessageRequest) (Pushed, error) {
	part := proto.CloneOf(r)
	list, field := &part.TargetUsernames, "target_usernames"
	if len(*list) == 0 {
		list, field = &part.TargetUserIds, "target_user_ids"
	}
	rest := *list
	*list = nil
	room := maxMessage - proto.Size(part)
	var done Pushed
	for {
		n := fitting(rest, c.maxTargets, room, func(name string) int { return len(name) })
		if *list = rest[:n]; n < len(rest) && part.OccurredAt == nil {
			part.OccurredAt = timestamppb.Now()
		}
		answer, err := c.Messages.PushMessage(ctx, part)
		if err != nil {
			return done, shifted(err, field, done.Targets)
		}
		done.Created += int64(answer.GetCreated())
		done.Duplicates += int64(answer.GetDuplicates())
		done.Targets += n
		if rest = rest[n:]; len(rest) == 0 {
			return done, nil
		}
	}
}

// shifted gives an error of a part of a list the place in the whole list, of which before entries came before.
func shifted(err error, field string, before int) error {
	var e *Error
	var at int
	if before == 0 || !errors.As(err, &e) || e.Code != codes.InvalidArgument {
		return err
	}
	if _, scanned := fmt.Sscanf(e.Field, field+"[%d]", &at); scanned != nil {
		return err
	}
	whole := *e
	whole.status = nil // which has the place in the part
	was, is := fmt.Sprintf("[%d]", at), fmt.Sprintf("[%d]", before+at)
	whole.Field = strings.Replace(e.Field, was, is, 1)
	whole.Message = strings.Replace(e.Message, was, is, 1)
	return &whole
}
