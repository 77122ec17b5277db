package scenario

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"google.golang.org/protobuf/proto"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

const (
	// channel is the one that every edge hears.
	channel = "{hub}:events"
	// perFrame is the number of events of a frame, as Hub makes them.
	perFrame = 100
	// batch is the number of frames after which the edge must have caught up, or Redis would cut it
	// off.
	batch = 500
)

// busRows measures scenario 14 on a stage whose edge has no streams now.
func busRows(ctx context.Context, e Env, s *stage.Stage) ([]report.Row, error) {
	options, err := redis.ParseURL(s.Redis.Address)
	if err != nil {
		return nil, err
	}
	options.Protocol = 2
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	d := &delivery{side: side{addr: s.Edge, token: s.Token, pids: []int{s.EdgePID}}}
	n := e.size(10_000, 500)
	commands, err := d.publishCommands(ctx, e, client, n)
	if err != nil {
		return nil, fmt.Errorf("count PUBLISH commands: %w", err)
	}
	ignored, used, err := d.foreignEvents(ctx, e, client)
	if err != nil {
		return nil, fmt.Errorf("foreign events: %w", err)
	}
	return []report.Row{
		{
			ID: "14a", Scenario: fmt.Sprintf("PUBLISH commands for a push to %d users", n), Unit: "commands",
			Hub: commands, Target: report.AtMost(float64(1 + n/50)), Note: "a probe of the bus that falls into the time of the push counts too",
		},
		{
			ID: "14b", Scenario: "foreign events that an edge ignores, through Redis", Unit: "events/s",
			Hub: ignored, Target: report.AtLeast(1_000_000), HubUse: used,
			Note: "publisher and Redis have the same processors; the processor time is that of one event",
		},
	}, nil
}

// publishCommands counts what Redis is asked for a push to n connected users.
func (d *delivery) publishCommands(ctx context.Context, e Env, client *redis.Client, n int) (measure.Samples, error) {
	c, err := crowd.Join(ctx, d.addr, d.token, 0, n)
	if err != nil {
		return nil, err
	}
	defer c.Leave()
	return measure.Repeat(e.Rounds, func() (float64, error) {
		before, err := published(ctx, client)
		if err != nil {
			return 0, err
		}
		if _, err := d.fanOut(ctx, c, n); err != nil {
			return 0, err
		}
		after, err := published(ctx, client)
		return after - before, err
	})
}

var publishCalls = regexp.MustCompile(`cmdstat_publish:calls=(\d+)`)

// published is the number of PUBLISH commands since Redis was started.
func published(ctx context.Context, client *redis.Client) (float64, error) {
	info, err := client.Info(ctx, "commandstats").Result()
	if err != nil {
		return 0, err
	}
	found := publishCalls.FindStringSubmatch(info)
	if found == nil {
		return 0, nil
	}
	return strconv.ParseFloat(found[1], 64)
}

// foreignEvents publishes frames of users who are not here, and an event of one who is after each
// batch: when that arrives, the batch has been ignored. It gives events per second, and what the edge
// used for an event.
func (d *delivery) foreignEvents(
	ctx context.Context, e Env, client *redis.Client,
) (rates measure.Samples, used report.Use, err error) {
	here, err := crowd.Join(ctx, d.addr, d.token, 0, 1)
	if err != nil {
		return nil, used, err
	}
	defer here.Leave()
	foreign := make([][]byte, batch)
	for i := range foreign {
		if foreign[i], err = frame(users(1_000_000+i*perFrame, perFrame)); err != nil {
			return nil, used, err
		}
	}
	batches := e.size(60, 4)
	rates, err = measure.Repeat(e.Rounds, func() (float64, error) {
		usage, err := measure.Use(d.pids...)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		for i := range batches {
			if err := publish(ctx, client, foreign); err != nil {
				return 0, err
			}
			// One batch is under way while the next is published.
			if i > 0 {
				if err := heard(ctx, here); err != nil {
					return 0, err
				}
			}
		}
		if err := heard(ctx, here); err != nil {
			return 0, err
		}
		took := time.Since(began)
		events := batches * batch * perFrame
		return float64(events) / took.Seconds(), use(&used, usage, events)
	})
	return rates, used, err
}

func publish(ctx context.Context, client *redis.Client, foreign [][]byte) error {
	last, err := frame([]string{crowd.User(0)})
	if err != nil {
		return err
	}
	pipe := client.Pipeline()
	for _, f := range foreign {
		pipe.Publish(ctx, channel, f)
	}
	pipe.Publish(ctx, channel, last)
	_, err = pipe.Exec(ctx)
	return err
}

func heard(ctx context.Context, here *crowd.Crowd) error {
	ctx, cancel := context.WithTimeout(ctx, deliveryTime)
	defer cancel()
	select {
	case <-here.Heard(0):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the event after a batch did not arrive: %w", ctx.Err())
	}
}

// frame is a publication of one event for each user.
func frame(names []string) ([]byte, error) {
	f := &eventv1.Frame{}
	for i, name := range names {
		f.Events = append(f.Events, &eventv1.Event{
			Kind: eventv1.EventKind_EVENT_KIND_MESSAGE, Username: name,
			Id: fmt.Sprintf("123456-%d", i), Ts: time.Now().UnixMilli(),
		})
	}
	return proto.Marshal(f)
}
