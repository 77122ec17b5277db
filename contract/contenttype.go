package contract

import (
	"net/http"
	"testing"
)

func contentTypeCases() []testCase {
	return []testCase{
		settled("application json may have parameters and any case", contentTypesTaken),
		settled("a body without a content type is taken as JSON", contentTypeNone),
		settled("another content type is refused with 415 and stores nothing", eachBody(contentTypesRefused)),
		settled("an empty body needs no content type", contentTypeEmptyBody),
		settled("a body of another type where none is needed is refused with 415", contentTypeUnneeded),
	}
}

func contentTypesTaken(t *testing.T, s *suite) {
	for _, value := range []string{
		"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON", "APPLICATION/JSON ; x=y",
		`application/json; charset="utf-8"; profile="x"`,
	} {
		header := http.Header{"Content-Type": {value}}
		a := s.main.send(t, request{method: http.MethodPost, path: todosPath, header: header, body: marshal(t, newTodo())})
		if a.status != http.StatusOK {
			t.Errorf("%s was not taken: %s", value, a)
		}
	}
}

func contentTypeNone(t *testing.T, s *suite) {
	for _, b := range s.bodies(t) {
		path, body := b.fresh(t)
		s.main.send(t, request{method: http.MethodPost, path: path, header: http.Header{"Content-Type": nil}, body: marshal(t, body)}).ok(t)
	}
}

func contentTypesRefused(t *testing.T, s *suite, b bodySpec) {
	for _, value := range []string{
		"text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "application/jsonx",
		"application/json-patch+json", "application/hal+json", "json", "*/*", "application/*", "application/grpc", "application/octet-stream",
	} {
		header := http.Header{"Content-Type": {value}}
		a := s.main.send(t, request{method: http.MethodPost, path: b.path, header: header, body: marshal(t, b.valid)})
		if a.status != s.failureStatus(http.StatusUnsupportedMediaType) {
			t.Errorf("%s was not refused: %s", value, a)
			continue
		}
		a.fails(t, http.StatusUnsupportedMediaType)
	}
}

func contentTypeEmptyBody(t *testing.T, s *suite) {
	// As curl -X POST -d '' sends it.
	for _, header := range []http.Header{{"Content-Type": nil}, {"Content-Type": {"application/x-www-form-urlencoded"}}, {"Content-Type": {"application/json"}}} {
		item := s.main.upsert(t, newTodo())
		s.main.send(t, request{method: http.MethodPost, path: todoPath(item.ID, "invalidate"), header: header, body: []byte{}}).todo(t)
		body := newMessage()
		s.main.push(t, body)
		path := readPath(body.messageID(), "username", body.target())
		s.main.send(t, request{method: http.MethodPost, path: path, header: header, body: []byte{}}).okNull(t)
	}
}

func contentTypeUnneeded(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	body := newMessage()
	s.main.push(t, body)
	header := http.Header{"Content-Type": {"text/plain"}}
	for _, path := range []string{todoPath(item.ID, "invalidate"), readPath(body.messageID(), "username", body.target())} {
		s.main.send(t, request{method: http.MethodPost, path: path, header: header, body: []byte("reason=x")}).
			fails(t, http.StatusUnsupportedMediaType)
	}
	s.main.unchanged(t, item)
	if m := s.main.record(t, body.target()); m.Status != "UNREAD" {
		t.Errorf("the record is %s", m.Status)
	}
}
