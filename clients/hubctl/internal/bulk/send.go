package bulk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"google.golang.org/grpc/codes"

	hub "example.com/hub/clients/go"
	"example.com/hub/clients/hubctl/internal/api"
)

// verdict is what became of a line; a reason means that Hub refused it.
type verdict struct {
	stale  bool
	reason string
}

const (
	batchPath = "/todo-hub/todos/batch"
	// firstWait is the mean wait before a first repeat; it doubles up to longestWait.
	firstWait   = time.Second
	longestWait = time.Minute
)

// send reports todos and says what became of each. A batch that is refused as a whole is halved, until the
// line at fault stands alone.
func (i *importer) send(ctx context.Context, batch []line) ([]verdict, error) {
	verdicts, err := i.retry(ctx, batch)
	refused := new(api.Refused)
	if !errors.As(err, &refused) || !ofTheBody(refused) {
		return verdicts, err
	}
	if len(batch) == 1 {
		return []verdict{{reason: refused.Msg}}, nil
	}
	half := len(batch) / 2
	first, err := i.send(ctx, batch[:half])
	if err != nil {
		return nil, err
	}
	second, err := i.send(ctx, batch[half:])
	return append(first, second...), err
}

// ofTheBody tells whether a part of the body may be what is refused. A status of 200 is that of a Hub with
// HUB_ERROR_STATUS=200.
func ofTheBody(r *api.Refused) bool {
	switch r.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusOK:
		return !r.Transient()
	}
	return false
}

// retry repeats a call until it is answered, for as long as the options say.
func (i *importer) retry(ctx context.Context, batch []line) ([]verdict, error) {
	began := time.Now()
	for n := 0; ; n++ {
		verdicts, err := i.call(ctx, batch)
		after, again := transient(err)
		if !again || ctx.Err() != nil {
			return verdicts, err
		}
		wait := after + rand.N(2*min(firstWait<<min(n, 10), longestWait))
		if time.Since(began)+wait > i.RetryFor {
			return nil, err
		}
		i.Retrying(err, wait)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// transient tells whether the same call may succeed later, and how long Hub asks to wait.
func transient(err error) (after time.Duration, again bool) {
	refused, unreachable, failed := new(api.Refused), new(api.Unreachable), new(hub.Error)
	switch {
	case errors.As(err, &refused):
		return refused.RetryAfter, refused.Transient()
	case errors.As(err, &unreachable):
		return 0, true
	case errors.As(err, &failed):
		return failed.RetryAfter, failed.Code == codes.Unavailable || failed.Code == codes.DeadlineExceeded
	}
	return 0, false
}

func (i *importer) call(ctx context.Context, batch []line) ([]verdict, error) {
	var body bytes.Buffer // by hand, since Hub keeps a payload byte for byte
	body.WriteString(`{"items":[`)
	for n, l := range batch {
		if n > 0 {
			body.WriteByte(',')
		}
		body.Write(l.text)
	}
	body.WriteString(`]}`)
	answer, err := i.Client.Call(ctx, api.Request{
		Method: http.MethodPost, Path: batchPath, Query: url.Values{"view": {"full"}}, Body: json.RawMessage(body.Bytes()),
	})
	if err != nil {
		return nil, err
	}
	var data struct {
		Results []struct {
			Code, Msg string
			Stale     bool
		}
	}
	if err := json.Unmarshal(answer.Data, &data); err != nil {
		return nil, err
	}
	if len(data.Results) != len(batch) {
		return nil, fmt.Errorf("%d todos were sent, and the answer tells of %d", len(batch), len(data.Results))
	}
	verdicts := make([]verdict, len(batch))
	for n, r := range data.Results {
		verdicts[n].stale = r.Stale
		if r.Code != "0" {
			verdicts[n].reason = r.Msg
		}
	}
	return verdicts, nil
}
