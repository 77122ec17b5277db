package contract

import (
	"strings"
	"testing"
)

func lengthCases() []testCase {
	return []testCase{
		settled("a field at its limit is stored whole", eachBody(lengthsAt)),
		settled("a field above its limit is refused", eachBody(lengthsAbove)),
		settled("a field far above its limit is refused in the same way", eachBody(lengthsFar)),
		settled("targets and actions at their limits are stored whole", lengthsPush),
		settled("an id of the largest length is addressable", lengthsPath),
	}
}

// filled is a value of exactly n characters, or bytes for freeBytes, that no run used before.
func (f fieldSpec) filled(n int) string {
	start := fresh("x")
	switch f.kind {
	case freeBytes:
		return start + strings.Repeat("é", (n-len(start))/2) + strings.Repeat("a", (n-len(start))%2)
	case address:
		return "/" + strings.Repeat("ü", n-1)
	default:
		return start + longText(n-len(start))
	}
}

func lengthsAt(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		if !f.isString() {
			continue
		}
		value := f.filled(f.limit)
		path, body := b.fresh(t)
		body = body.with(f.name, value)
		if got := b.shows(t, s.main.post(t, path, body), body, f.name); got != value {
			t.Errorf("%s of %d came back as %s", f.name, f.limit, describe(got))
		}
	}
}

func lengthsAbove(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		if !f.isString() {
			continue
		}
		b.refuses(t, s, b.valid.with(f.name, f.filled(f.limit+1)), f.name)
		b.refuses(t, s, b.valid.with(f.name, strings.Repeat("a", 3*f.limit)), f.name)
	}
}

// lengthsFar fills most of a body with one field: parts of a deployment have limits of their own.
func lengthsFar(t *testing.T, s *suite, b bodySpec) {
	size := 3 * min(s.set.MaxBody, 4<<20) / 4
	for _, f := range b.fields {
		if f.isString() && size > 4*f.limit {
			b.refuses(t, s, b.valid.with(f.name, strings.Repeat("a", size)), f.name)
		}
	}
}

func lengthsPush(t *testing.T, s *suite) {
	user := fresh("u")
	user += longText(128 - len(user))
	body := newMessage(user).with("actions", []fields{{"label": longText(128), "url": "/" + strings.Repeat("ü", 2047)}})
	s.main.push(t, body)
	sameMessage(t, s.main.record(t, user), wantMessage(body, s.main.cred.ID, user))
	if got := s.main.unread(t, user); got != 1 {
		t.Errorf("the unread count is %d", got)
	}

	b := s.pushBody(t)
	b.refuses(t, s, b.valid.with("targetUsernames", []string{b.valid.target(), user + "x"}), "targetUsernames")
	b.refuses(t, s, b.valid.with("actions", []fields{{"label": longText(129)}}), "label")
	b.refuses(t, s, b.valid.with("actions", []fields{{"url": "/" + strings.Repeat("a", 2048)}}), "url")
	b.untouched(t)
}

func lengthsPath(t *testing.T, s *suite) {
	id := fresh("id")
	id += longText(255 - len(id))
	s.main.upsert(t, newTodo().with("todoId", id))
	if item := s.main.clear(t, id, fields{"result": "done"}); item.ID != id {
		t.Errorf("clear went to %s", describe(item.ID))
	}
	body := newMessage().with("sourceMessageId", id)
	s.main.push(t, body)
	s.main.markRead(t, id, body.target())
	if m := s.main.record(t, body.target()); m.Status != "READ" {
		t.Errorf("the record is %s", m.Status)
	}
}
