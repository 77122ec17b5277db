package contract

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func streamCases() []testCase {
	return []testCase{
		stated("the stream is an event-stream", streamContentType),
		stated("a push sends a message event with the id of the record", streamMessage),
		stated("a mark read sends a read event with the sourceMessageId", streamRead),
		stated("each record that is switched sends one read event", streamReadEach),
		stated("a duplicate push sends no event", streamDuplicate),
		stated("a mark read that switches nothing sends no event", streamReadNothing),
		stated("the events of a user go to that user only", streamRightUser),
		stated("heartbeats come at the interval to every connection", streamHeartbeat),
		stated("a new connection replaces the old one", streamReplace),
		stated("each username has a connection of its own", streamPerUser),
		settled("the reconnect time comes first and is 3 seconds", streamRetry),
		settled("a replaced stream is told a reconnect time before it is closed", streamReplaceRetry),
		settled("a reconnect time makes no event without data", streamNoEmptyEvent),
		settled("the end of a stream can be told from a cut", streamEnd),
		settled("a missing or empty user is refused", streamNoUser),
		settled("the answer is neither cached nor buffered nor compressed", streamHeaders),
		settled("usernames and ids of any characters come through", streamCharacters),
		settled("one push to many users sends each one event", streamManyUsers),
	}
}

// wantsMessage demands that the next change is the message event of a push.
func (conn *connection) wantsMessage(t *testing.T, s *suite, body fields) {
	t.Helper()
	records := s.main.inbox(t, "username", body.target(), "sourceMessageId", body.messageID(), "sort", "id,desc")
	if len(records) == 0 {
		t.Fatalf("the message %q is not stored", body.messageID())
	}
	conn.wants(t, "message", records[0].ID)
}

// replicas is more than the replicas of a service that take turns in a deployment under test.
const replicas = 4

// announced opens the stream of a new user and pushes a message whose event has come. Events follow
// the answers of calls at their own pace, so whoever opens a stream after a push may still hear of it.
func (s *suite) announced(t *testing.T) (*connection, fields) {
	t.Helper()
	body := newMessage()
	conn := s.main.open(t, body.target(), nil)
	s.main.push(t, body)
	conn.wantsMessage(t, s, body)
	return conn, body
}

// wantsNothingElse demands that no event comes but those of pushes that it makes now. Each replica
// announces in order, and replicas take turns, so a stray event would come before the last of them.
func (conn *connection) wantsNothingElse(t *testing.T, s *suite, user string) {
	t.Helper()
	var want, got []string
	for range replicas {
		sentinel := newMessage(user)
		s.main.push(t, sentinel)
		want = append(want, s.main.inbox(t, "username", user, "sourceMessageId", sentinel.messageID())[0].ID)
	}
	for range want {
		e := conn.change(t)
		got = append(got, *e.data.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("the events are of %q, want %q", got, want)
	}
}

func streamContentType(t *testing.T, s *suite) {
	conn := s.main.open(t, fresh("user"), nil)
	if got := conn.header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("Content-Type is %q", got)
	}
}

func streamMessage(t *testing.T, s *suite) {
	user := fresh("user")
	conn := s.main.open(t, user, nil)
	for range 3 {
		body := newMessage(user)
		s.main.push(t, body)
		conn.wantsMessage(t, s, body)
	}
}

func streamRead(t *testing.T, s *suite) {
	conn, body := s.announced(t)
	s.main.markRead(t, body.messageID(), body.target())
	conn.wants(t, "read", body.messageID())
}

func streamReadEach(t *testing.T, s *suite) {
	conn, body := s.announced(t)
	s.other.push(t, body)
	conn.change(t)
	s.main.markRead(t, body.messageID(), body.target())
	conn.wants(t, "read", body.messageID())
	conn.wants(t, "read", body.messageID())
	conn.wantsNothingElse(t, s, body.target())
}

func streamDuplicate(t *testing.T, s *suite) {
	conn, body := s.announced(t)
	for range replicas {
		s.main.push(t, body)
	}
	conn.wantsNothingElse(t, s, body.target())
}

func streamReadNothing(t *testing.T, s *suite) {
	conn, body := s.announced(t)
	s.main.markRead(t, body.messageID(), body.target())
	conn.wants(t, "read", body.messageID())
	for range replicas {
		s.main.markRead(t, body.messageID(), body.target())
		s.main.markRead(t, fresh("nothing"), body.target())
	}
	conn.wantsNothingElse(t, s, body.target())
}

func streamRightUser(t *testing.T, s *suite) {
	ann, bob := fresh("ann"), fresh("bob")
	conn := s.main.open(t, bob, nil)
	for range replicas {
		first := newMessage(ann)
		s.main.push(t, first)
		s.main.markRead(t, first.messageID(), ann)
	}
	conn.wantsNothingElse(t, s, bob)
}

// The first heartbeat may come at any time after the start; the second follows by the interval.
func streamHeartbeat(t *testing.T, s *suite) {
	interval := s.set.HeartbeatInterval
	patience := interval + interval/2 + 2*time.Second
	first, second := s.main.open(t, fresh("user"), nil), s.main.open(t, fresh("user"), nil)
	for _, conn := range []*connection{first, second} {
		var times []time.Time
		apart := func() time.Duration { return times[len(times)-1].Sub(times[max(0, len(times)-2)]) }
		// A busy machine is late once, and then has the next one sooner.
		for len(times) < 2 || len(times) < 4 && (apart() < interval/2 || apart() > patience) {
			e := conn.next(t, patience+eventTimeout)
			if e.Name != "heartbeat" || e.HasID || e.data.ID != nil {
				t.Errorf("the event is %+v, want a heartbeat without an id", e.sseEvent)
			}
			times = append(times, e.at)
		}
		if gap := apart(); gap < interval/2 || gap > patience {
			t.Errorf("the heartbeats are %s apart, want %s", gap, interval)
		}
	}
}

func streamReplace(t *testing.T, s *suite) {
	user := fresh("user")
	old := s.main.open(t, user, nil)
	renewed := s.other.open(t, user, nil)
	if rest := old.end(t); len(changes(rest)) != 0 {
		t.Errorf("the replaced stream had events: %+v", rest)
	}
	body := newMessage(user)
	s.main.push(t, body)
	renewed.wantsMessage(t, s, body)
}

// changes leaves the heartbeats out.
func changes(events []event) []event {
	var kept []event
	for _, e := range events {
		if e.data.Type != "heartbeat" {
			kept = append(kept, e)
		}
	}
	return kept
}

func streamPerUser(t *testing.T, s *suite) {
	ann, bob := fresh("ann"), fresh("bob")
	first := s.main.open(t, ann, nil)
	second := s.main.open(t, bob, nil)
	body := newMessage(ann, bob)
	s.main.push(t, body)
	for user, conn := range map[string]*connection{ann: first, bob: second} {
		conn.wants(t, "message", s.main.record(t, user).ID)
	}
}

func streamRetry(t *testing.T, s *suite) {
	conn := s.main.open(t, fresh("user"), nil)
	if got := conn.retryFields(); got[0] != 3000 {
		t.Errorf("the first retry field is %d, want 3000", got[0])
	}
}

func streamReplaceRetry(t *testing.T, s *suite) {
	user := fresh("user")
	old := s.main.open(t, user, nil)
	s.main.open(t, user, nil)
	old.end(t)
	got := old.retryFields()
	if len(got) < 2 || got[len(got)-1] < 3000 {
		t.Errorf("the retry fields are %v, want another of at least 3000 at the end", got)
	}
}

func streamNoUser(t *testing.T, s *suite) {
	for _, query := range []string{"", "?", "?user=", "?user", "?user=%20", "?username=x"} {
		s.main.get(t, streamPath+query).failsNaming(t, "user")
	}
	for _, value := range []string{"a%00", "a%0ab", url.QueryEscape(longText(129)), "%ff"} {
		s.main.get(t, streamPath+"?user="+value).fails(t, http.StatusBadRequest)
	}
	s.main.get(t, streamPath+"?user=a&user=b").fails(t, http.StatusBadRequest)
}

func streamHeaders(t *testing.T, s *suite) {
	conn := s.main.open(t, fresh("user"), http.Header{"Accept-Encoding": {"gzip, br"}})
	if got := conn.header.Get("Cache-Control"); !strings.Contains(got, "no-store") && !strings.Contains(got, "no-cache") {
		t.Errorf("Cache-Control is %q", got)
	}
	if got := conn.header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering is %q, want no", got)
	}
	if got := conn.header.Get("Content-Encoding"); got != "" {
		t.Errorf("Content-Encoding is %q", got)
	}
}

func streamCharacters(t *testing.T, s *suite) {
	for _, odd := range []string{" lead", "trail ", "a:b", "ü/ö %2F+", "data: x", "日本語", "\u200f\u2028", "👩‍👩‍👧"} {
		user := fresh("user") + odd
		conn := s.main.open(t, user, nil)
		body := newMessage(user).with("sourceMessageId", odd+fresh("m")+odd)
		s.main.push(t, body)
		conn.wantsMessage(t, s, body)
		s.main.markRead(t, body.messageID(), user)
		conn.wants(t, "read", body.messageID())
	}
}

func streamManyUsers(t *testing.T, s *suite) {
	users := make([]string, 10)
	streams := make([]*connection, len(users))
	for i := range users {
		users[i] = fresh("user")
		streams[i] = s.main.open(t, users[i], nil)
	}
	body := newMessage(users...)
	s.main.push(t, body)
	for i, conn := range streams {
		conn.wants(t, "message", s.main.record(t, users[i]).ID)
		conn.wantsNothingElse(t, s, users[i])
	}
}
