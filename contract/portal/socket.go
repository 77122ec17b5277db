package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"example.com/hub/contract"
)

func socketCases() []testCase {
	return []testCase{
		{"the count comes first and is the server's own", socketFirst},
		{"each new record is told with its id", socketCreated},
		{"the count follows each change and comes only when it differs", socketCount},
		{"changes of a moment make few counts and the last is right", socketDebounce},
		{"messages have a type and the time and nothing of a list", socketShape},
		{"only what is the user's comes", socketOwn},
		{"todo.changed tells of todos where the topic is asked for", socketTodos},
		{"the topic todo alone has no inbox", socketTodosAlone},
		{"user and topics are checked", socketParameters},
		{"there is no compression", socketPlain},
		{"what is no handshake is 426", socketUpgrade},
		{"a token counts in the header only", socketToken},
		{"data of the client closes the socket with 1003", socketData},
		{"pings come at the interval of heartbeats", socketPings},
		{"a user has five sockets at an edge and one more ends the oldest with 4001", socketMany},
		{"sockets and the stream of a user leave each other alone", socketBeside},
		{"a client may close its socket", socketClose},
	}
}

func unreadOf(t *testing.T, s *contract.Session, user string) int64 {
	t.Helper()
	path := "/message-hub/unread-count?" + url.Values{"username": {user}}.Encode()
	n, err := strconv.ParseInt(string(s.Call(t, http.MethodGet, path, nil, nil).OK(t)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func markRead(t *testing.T, s *contract.Session, user, id string) {
	t.Helper()
	path := fmt.Sprintf("%s/%s/read?username=%s", pushPath, url.PathEscape(id), url.QueryEscape(user))
	s.Call(t, http.MethodPost, path, nil, nil).OK(t)
}

func socketFirst(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user é/&+")
	for n := range int64(3) {
		first, err := openSocket(t, s, user).next()
		if err != nil || first.Type != "inbox.unread.changed" || first.Unread == nil || *first.Unread != n {
			t.Errorf("with %d unread the first message is %+v, %v", n, first, err)
		}
		push(t, s, user, contract.Fresh("message"))
	}
}

func socketCreated(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	w := openSocket(t, s, user)
	w.wantsCount(t, 0)
	for range 3 {
		id := contract.Fresh("message")
		push(t, s, user, id)
		want(t, "the id", w.wants(t, "message.created"), inboxOf(t, s, user, "sourceMessageId", id)[0].ID)
	}
}

func socketCount(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	w := openSocket(t, s, user)
	w.wantsCount(t, 0)
	id := contract.Fresh("message")
	push(t, s, user, id)
	w.wantsCount(t, 1)
	markRead(t, s, user, id)
	w.wantsCount(t, 0)
	// A message that is read within the second in which it came leaves the count as it was told.
	push(t, s, user, contract.Fresh("message"))
	w.wantsCount(t, 1)
	w.wantsNoRepeat(t, s, user, 1)
}

// wantsNoRepeat has changes come and go, and demands that no count comes twice in a row.
func (w *wire) wantsNoRepeat(t *testing.T, s *contract.Session, user string, last int64) {
	t.Helper()
	for range 3 {
		id := contract.Fresh("message")
		push(t, s, user, id)
		markRead(t, s, user, id)
	}
	push(t, s, user, contract.Fresh("message"))
	for end := last + 1; last != end; {
		m, err := w.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Unread == nil {
			continue
		}
		if *m.Unread == last {
			t.Errorf("the count %d comes twice", last)
		}
		last = *m.Unread
	}
}

func socketDebounce(t *testing.T, s *contract.Session) {
	const pushes = 40
	user := contract.Fresh("user")
	w := openSocket(t, s, user)
	w.wantsCount(t, 0)
	began := time.Now()
	for range pushes {
		push(t, s, user, contract.Fresh("message"))
	}
	counts := 0
	for {
		m, err := w.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Unread == nil {
			continue
		}
		counts++
		if *m.Unread == pushes {
			break
		}
	}
	if most := 2 + int(time.Since(began)/time.Second); counts > most {
		t.Errorf("%d counts within %s, want at most %d", counts, time.Since(began), most)
	}
	want(t, "unread", unreadOf(t, s, user), int64(pushes))
}

func socketShape(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	w := openSocket(t, s, user)
	began := time.Now().Add(-time.Minute)
	for i := range 3 {
		m, err := w.next()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 { // the first count, before which nothing is told
			push(t, s, user, contract.Fresh("message"))
		}
		if at := time.UnixMilli(m.TS); at.Before(began) || at.After(time.Now().Add(time.Minute)) {
			t.Errorf("the time of %s is %s", m.Type, at)
		}
	}
}

func socketOwn(t *testing.T, s *contract.Session) {
	amy, ben := contract.Fresh("amy"), contract.Fresh("ben")
	w := openSocket(t, s, amy)
	w.wantsCount(t, 0)
	push(t, s, ben, contract.Fresh("message"))
	id := contract.Fresh("message")
	push(t, s, amy, id)
	want(t, "the id", w.wants(t, "message.created"), inboxOf(t, s, amy)[0].ID)
	w.wantsCount(t, 1)
}

func socketTodos(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	w, inbox := openSocket(t, s, user, "topics", "inbox,todo"), openSocket(t, s, user)
	w.wantsCount(t, 0)
	inbox.wantsCount(t, 0)
	id := upsert(t, s, user, contract.Fresh("todo"))
	want(t, "the todo", w.wants(t, "todo.changed"), id)
	push(t, s, user, contract.Fresh("message"))
	w.wantsCount(t, 1)
	for {
		m, err := inbox.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Type == "todo.changed" {
			t.Errorf("%+v came without its topic", m)
		}
		if m.Unread != nil {
			return
		}
	}
}

func socketTodosAlone(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	w := openSocket(t, s, user, "topics", "todo")
	push(t, s, user, contract.Fresh("message"))
	inbox := openSocket(t, s, user)
	inbox.wantsCount(t, 1)
	id := upsert(t, s, user, contract.Fresh("todo"))
	for {
		m, err := w.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Type != "todo.changed" {
			t.Errorf("%+v came", m)
		}
		if m.ID != nil && *m.ID == id {
			return
		}
	}
}

func socketBeside(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	one, stream, two := openSocket(t, s, user), s.Listen(t, user), openSocket(t, s, user)
	one.wantsCount(t, 0)
	two.wantsCount(t, 0)
	one.lives(t, s, user)
	two.wants(t, "message.created")
	if kind, _ := stream.Change(t); kind != "message" {
		t.Errorf("the stream's event is %s", kind)
	}
}
