package hub_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	hub "example.com/hub/clients/go"
)

const (
	begin     = "retry: 3000\n"
	heartbeat = "event: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null,\"ts\":1700000000000}\n\n"
)

func TestEventsComeInOrderWithTheirIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{answers: []answer{{text: "\n" + begin + message("1") + heartbeat +
			"event: read\r\nid: m-1\r\ndata: {\"type\":\"read\",\r\ndata: \"id\":\"m-1\",\"ts\":1700000000123}\r\n\r\n" +
			": a comment\nevent: new\ndata: {}\n\nevent: todo\ndata: {\"type\":\"todo\",\"id\":\"po-1\",\"ts\":1}\n\n" +
			"event: todo\ndata: {\"type\":\"todo\",\"id\":null,\"ts\":1}\n\n"}}}
		w := e.watcher()
		w.Topics = []string{hub.TopicInbox, hub.TopicTodo}
		var got []hub.Event
		for event, err := range w.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, event); len(got) == 5 {
				break
			}
		}
		want := []hub.Event{
			{Type: hub.Opened},
			{Type: hub.MessageStored, ID: "1", Time: time.UnixMilli(1700000000000), LastEventID: "1"},
			{Type: hub.MessageRead, ID: "m-1", Time: time.UnixMilli(1700000000123), LastEventID: "m-1"},
			{Type: hub.TodoChanged, ID: "po-1", Time: time.UnixMilli(1), LastEventID: "m-1"},
			{Type: hub.TodoChanged, Time: time.UnixMilli(1), LastEventID: "m-1"},
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%v, want\n%v", got, want)
		}
		r := e.seen[0]
		if got := r.URL.String(); got != "http://hub.test/message-hub/stream?topics=inbox%2Ctodo&user=alice" {
			t.Errorf("it asks for %s", got)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer t" {
			t.Errorf("the token is sent as %q", got)
		}
		if _, ok := r.Header["Last-Event-Id"]; ok {
			t.Error("a Last-Event-ID is sent, though no event was seen")
		}
	})
}

func TestWatcherResumesAfterACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{answers: []answer{
			{text: begin + message("1") + message("2") + "event: message\nid: 3\nda", end: io.ErrUnexpectedEOF},
			{text: begin + message("3")},
		}}
		want := []string{"open", "message:1", "message:2", "open", "message:3"}
		if got := take(t, e.watcher(), 5); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := e.seen[1].Header.Get("Last-Event-ID"); got != "2" {
			t.Errorf("it goes on behind %q, and 2 was handled last", got)
		}
		if wait := e.at[1].Sub(e.at[0]); wait > 3*time.Second {
			t.Errorf("it came back after %v", wait)
		}
	})
}

func TestWatcherOfALaterProcessResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{answers: []answer{{text: begin}}}
		w := e.watcher()
		w.LastEventID = "7"
		take(t, w, 1)
		if got := e.seen[0].Header.Get("Last-Event-ID"); got != "7" {
			t.Errorf("it goes on behind %q", got)
		}
	})
}

func TestWatcherStaysAwayAsLongAsItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{answers: []answer{
			{text: begin + message("1") + "retry: 12000\n" + heartbeat, end: io.EOF},
			{text: begin},
		}}
		var broken []error
		w := e.watcher()
		w.Broken = func(err error, _ time.Duration) { broken = append(broken, err) }
		take(t, w, 3)
		if wait := e.at[1].Sub(e.at[0]); wait < 12*time.Second || wait > 15*time.Second {
			t.Errorf("it came back after %v", wait)
		}
		if len(broken) != 1 {
			t.Errorf("the breaks are %v", broken)
		}
	})
}

func TestWatcherBacksOffWhileHubIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("connection refused")
		e := &edge{answers: []answer{
			{end: away},
			{status: 502, text: "<html>"},
			{status: 429, text: `{"msg":"too many reads"}`},
			{status: 503},
			{end: away},
			{end: away},
			{end: away},
			{text: begin + message("1")},
		}}
		var waits []time.Duration
		w := e.watcher()
		w.Broken = func(_ error, wait time.Duration) { waits = append(waits, wait) }
		take(t, w, 2)
		for i, wait := range waits {
			if most := min(3*time.Second<<i, time.Minute); wait > most {
				t.Errorf("wait %d is %v, want %v at most", i, wait, most)
			}
		}
		if len(waits) != 7 {
			t.Errorf("it waited %d times", len(waits))
		}
	})
}

func TestSilentConnectionIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{answers: []answer{
			{text: begin + message("1"), then: func(w io.Writer) {
				pass(44 * time.Second)
				_, _ = io.WriteString(w, heartbeat)
			}},
			{text: begin + message("2")},
		}}
		take(t, e.watcher(), 4)
		if wait := e.at[1].Sub(e.at[0]); wait < 89*time.Second || wait > 92*time.Second {
			t.Errorf("it came back after %v, want 44 s, 45 s of silence and a wait", wait)
		}
	})
}

func TestSlowLoopIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{answers: []answer{{text: begin + message("1") + message("2")}}}
		n := 0
		for event, err := range e.watcher().Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			pass(time.Hour)
			if n++; event.ID == "2" {
				break
			}
		}
		if n != 3 || len(e.seen) != 1 {
			t.Errorf("%d events by %d streams, want 3 by 1", n, len(e.seen))
		}
	})
}

func TestWatcherEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, e := range map[string]*edge{
			"open": {answers: []answer{{text: begin}}},
			"away": {answers: []answer{{end: io.ErrUnexpectedEOF}}},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			for event, err := range e.watcher().Events(ctx) {
				if err != nil || event.Type != hub.Opened {
					t.Errorf("%s: got %v, %v", name, event, err)
				}
			}
			if ctx.Err() == nil {
				t.Errorf("%s: it ended by itself", name)
			}
			cancel()
		}
	})
}

func TestWatcherRenewsARefusedTokenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := (&issuer{}).tokens()
		e := &edge{answers: []answer{{status: 401, text: `{"msg":"the access token is not valid"}`}, {text: begin}}}
		w := e.watcher()
		w.Tokens = source
		take(t, w, 1)
		if got := e.seen[1].Header.Get("Authorization"); got != "Bearer token-2" || e.at[1] != e.at[0] {
			t.Errorf("it came back with %q after %v", got, e.at[1].Sub(e.at[0]))
		}
	})
}

func TestWatcherGivesUpWhereHubRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		answer answer
		want   hub.Error
		calls  int
	}{
		"a wrong topic":   {answer{status: 400, text: `{"msg":"topics must be one of"}`}, hub.Error{Code: codes.InvalidArgument, Message: "topics must be one of"}, 1},
		"a refused token": {answer{status: 401, text: `{"msg":"the access token is not valid"}`}, hub.Error{Code: codes.Unauthenticated, Message: "the access token is not valid"}, 2},
		"another scope":   {answer{status: 403, text: `{"msg":"the token lacks"}`}, hub.Error{Code: codes.PermissionDenied, Message: "the token lacks"}, 1},
		"no edge":         {answer{status: 404, text: `nothing`}, hub.Error{Code: codes.NotFound, Message: "404 Not Found"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := &edge{answers: []answer{tt.answer}}
			var errs []error
			for _, err := range e.watcher().Events(t.Context()) {
				errs = append(errs, err)
			}
			var got *hub.Error
			if len(errs) != 1 || !errors.As(errs[0], &got) || got.Code != tt.want.Code || got.Message != tt.want.Message {
				t.Errorf("got %v, want %v", errs, &tt.want)
			}
			if len(e.seen) != tt.calls {
				t.Errorf("it asked %d times, want %d", len(e.seen), tt.calls)
			}
		})
	}
	t.Run("no URL", func(t *testing.T) {
		w := hub.Watcher{URL: "hub.example.com", Tokens: hub.StaticToken("t")}
		for _, err := range w.Events(t.Context()) {
			if codeOf(err) != codes.InvalidArgument {
				t.Errorf("got %v", err)
			}
		}
	})
}
