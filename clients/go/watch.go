package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
)

// EventType says what an event tells of.
type EventType string

// The types of events.
const (
	// Opened is the watcher's own: the stream is open, at the start and after each break. What happened before
	// may not be told any more, so fetch what you show.
	Opened EventType = "open"
	// MessageStored tells of a new message; the ID is that of the inbox record.
	MessageStored EventType = "message"
	// MessageRead tells that a message was read; the ID is the sender's, the sourceMessageId.
	MessageRead EventType = "read"
	// TodoChanged tells that a todo of the user was stored or finished; the ID is the todo id, or empty where any
	// todo may have changed.
	TodoChanged EventType = "todo"
)

// The topics of a stream.
const (
	TopicInbox = "inbox" // MessageStored and MessageRead
	TopicTodo  = "todo"  // TodoChanged
)

// Event says that something of the user changed. It is a hint: lists and counts say what there is now. Events
// may repeat, above all after a break.
type Event struct {
	Type EventType
	// ID is what the event tells of; see the types.
	ID string
	// Time is when it happened, by Hub's clock, to the millisecond; zero of Opened.
	Time time.Time
	// LastEventID is for Watcher.LastEventID of a later watcher that goes on behind this event. It is empty until
	// the first event of a message.
	LastEventID string
}

// Watcher watches the events of one user.
//
// Hub has one stream for each user. A watcher ends the one that the user has, as that of a portal, and a newer
// one ends that of the watcher, which then comes back after the wait that Hub tells it: the two take the stream
// from each other, less and less often. So watch users whom nobody else watches, or people who have agreed.
type Watcher struct {
	// URL is the address of the edge, such as https://hub.example.com.
	URL string
	// User is the username. A person's own token needs none.
	User string
	// Topics are what to hear of; none is the inbox alone.
	Topics []string
	// Tokens give the token of each connection. One that ends does not end the stream, unless the edge is set so.
	Tokens TokenSource
	// LastEventID is the Event.LastEventID of the last event that an earlier watcher has handled; empty begins
	// with what happens now.
	LastEventID string
	// Silence is how long nothing may come, not even a heartbeat, before the connection counts as dead; 0 is 45
	// seconds, three of Hub's heartbeats.
	Silence time.Duration
	// Client makes the requests; nil is http.DefaultClient. It must not have a Timeout.
	Client *http.Client
	// UserAgent is sent with the requests; empty is "hub-go".
	UserAgent string
	// Broken hears of each break: why, and when the next attempt comes. It may be nil.
	Broken func(err error, wait time.Duration)
}

const (
	defaultSilence = 45 * time.Second
	// defaultRetry is the wait before the first reconnect where no stream has told one, as an edge does.
	defaultRetry = 3 * time.Second
	// maxRetry bounds the growing wait.
	maxRetry = time.Minute
)

// Events gives the user's events in the order in which Hub sends them, until ctx ends or the loop is left; then
// the stream is closed. It comes back after breaks, with the id of the last event: what was missed of messages is
// then told by the events themselves or, where Hub no longer has them, by one MessageStored of the newest record,
// and what was missed of todos by one TodoChanged without an ID. The stream does not say which of these it is.
//
// An event counts as handled when the loop asks for the next one. A loop that takes long is no silence; but an
// edge ends a stream whose client does not read for 5 seconds and more than its buffers hold, which is a break.
//
// An error is the last that the loop gets: Hub refuses the watcher, and would do so again. It is an [Error]:
// InvalidArgument of a wrong User or Topics, Unauthenticated, PermissionDenied, or NotFound where the URL is not
// that of an edge.
func (w Watcher) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := &subscription{Watcher: w, retry: defaultRetry, yield: yield}
		for ctx.Err() == nil {
			err := s.connect(ctx)
			if s.left || ctx.Err() != nil {
				return
			}
			wait, again := s.next(err)
			if !again {
				yield(Event{}, err)
				return
			}
			if w.Broken != nil {
				w.Broken(err, wait)
			}
			sleep(ctx, wait)
		}
	}
}

// subscription is a loop over the events of a watcher.
type subscription struct {
	Watcher
	yield func(Event, error) bool
	left  bool // the loop was left
	// retry is the reconnect time that an edge told last.
	retry time.Duration
	// failures are the attempts since the last open stream.
	failures int
	// refused tells that the last attempt's token was not taken.
	refused bool
}

// errEnded is a stream that Hub ended in order. It has told when to come back.
var errEnded = errors.New("hub has ended the stream")

// errSilent is a connection on which nothing comes any more.
var errSilent = errors.New("nothing comes from hub, not even a heartbeat")

// next decides whether to come back after err, and when.
func (s *subscription) next(err error) (wait time.Duration, again bool) {
	s.failures++
	var refusal *Error
	switch {
	case errors.Is(err, errEnded):
		return s.retry + rand.N(s.retry/4+1), true
	case !errors.As(err, &refusal):
		return jitter(s.retry, maxRetry, s.failures), true
	}
	switch refusal.Code {
	case codes.Unauthenticated:
		again, s.refused = !s.refused, true
		return 0, again
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted:
		return refusal.RetryAfter + jitter(s.retry, maxRetry, s.failures), true
	}
	return 0, false
}

// connect opens the stream and hands on its events until it breaks, which is the error.
func (s *subscription) connect(ctx context.Context) error {
	token, err := s.Tokens.Token(ctx)
	if err != nil {
		s.refused = codeOfError(err) == codes.Unauthenticated // the credentials; there is no other token to try
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := cmp.Or(s.Silence, defaultSilence)
	watchdog := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer watchdog.Stop()

	answer, err := s.open(ctx, token)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer func() { _ = answer.Body.Close() }()
	if err := s.admitted(answer, token); err != nil {
		return err
	}
	events := newFrames(answer.Body, func(d time.Duration) { s.retry = min(d, maxRetry) })
	watchdog.Stop() // the loop may take its time
	if !s.yield(Event{Type: Opened, LastEventID: s.LastEventID}, nil) {
		s.left = true
		return nil
	}
	for {
		watchdog.Reset(silence)
		f, err := events.next()
		if errors.Is(err, io.EOF) {
			return errEnded
		}
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		watchdog.Stop()
		s.failures = 0
		if !s.handle(f) {
			s.left = true
			return nil
		}
	}
}

// open makes the request.
func (s *subscription) open(ctx context.Context, token string) (*http.Response, error) {
	query := url.Values{}
	if s.User != "" {
		query.Set("user", s.User)
	}
	if len(s.Topics) > 0 {
		query.Set("topics", strings.Join(s.Topics, ","))
	}
	address := strings.TrimSuffix(s.URL, "/") + "/message-hub/stream?" + query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil || request.URL.Host == "" || !strings.HasPrefix(request.URL.Scheme, "http") {
		return nil, &Error{
			Code: codes.InvalidArgument, Message: fmt.Sprintf("the URL must be like https://hub.example.com, not %q", s.URL), cause: err,
		}
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Accept-Encoding", "identity") // compression would hold events back
	request.Header.Set("User-Agent", cmp.Or(s.UserAgent, defaultAgent))
	if s.LastEventID != "" {
		request.Header.Set("Last-Event-ID", s.LastEventID)
	}
	return cmp.Or(s.Client, http.DefaultClient).Do(request)
}

// admitted is nil if the answer is a stream.
func (s *subscription) admitted(answer *http.Response, token string) error {
	if answer.StatusCode != http.StatusOK {
		if answer.StatusCode == http.StatusUnauthorized {
			s.Tokens.Refused(token)
		}
		return answerError(answer)
	}
	s.refused = false
	kind := answer.Header.Get("Content-Type")
	if media, _, _ := mime.ParseMediaType(kind); media != "text/event-stream" {
		return &Error{Code: codes.Unknown, Message: fmt.Sprintf("the answer is no event stream, but %q", kind)}
	}
	return nil
}

// handle hands on an event, and tells whether the loop goes on. Types that are not known are left out, as are
// heartbeats.
func (s *subscription) handle(f frame) (more bool) {
	if f.hasID {
		s.LastEventID = f.id
	}
	var data struct {
		ID string // null leaves it empty
		TS int64
	}
	switch t := EventType(f.name); t {
	case MessageStored, MessageRead, TodoChanged:
		if err := json.Unmarshal([]byte(f.data), &data); err != nil {
			return true // no event of Hub
		}
		return s.yield(Event{Type: t, ID: data.ID, Time: time.UnixMilli(data.TS), LastEventID: s.LastEventID}, nil)
	}
	return true
}
