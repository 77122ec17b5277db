package contract

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// kind says which rules a field of a body obeys.
type kind int

const (
	// identifier may not hold control characters.
	identifier kind = iota + 1
	// freeText may hold everything but NUL.
	freeText
	// freeBytes is freeText whose limit counts bytes.
	freeBytes
	// address is a URL.
	address
	// choice is one of two words.
	choice
	// instant is a business time.
	instant
)

// fieldSpec is a field of a request body, from the contract's tables.
type fieldSpec struct {
	name     string
	kind     kind
	required bool
	// limit is the largest length in characters, or in bytes for freeBytes.
	limit int
}

// isString tells the fields whose JSON type is string without a form of its own.
func (f fieldSpec) isString() bool { return f.kind != choice && f.kind != instant }

// bodySpec is a call with a JSON body, and a record that bad calls must not change.
type bodySpec struct {
	name   string
	path   string
	fields []fieldSpec
	// valid has every field, and would change the record.
	valid fields
	// fresh is valid for a record of its own, with the path that takes it.
	fresh func(t *testing.T) (path string, body fields)
	// untouched demands that the record is what it was.
	untouched func(t *testing.T)
	// shows gives a field of what was stored by an answered call.
	shows func(t *testing.T, a answer, body fields, field string) string
}

// bodies are the calls with a JSON body, each with a new record.
func (s *suite) bodies(t *testing.T) []bodySpec {
	t.Helper()
	return []bodySpec{s.upsertBody(t), s.clearBody(t), s.pushBody(t)}
}

// upsertBody aims at an item that exists.
func (s *suite) upsertBody(t *testing.T) bodySpec {
	t.Helper()
	item := s.main.upsert(t, newTodo())
	return bodySpec{
		name: "upsert",
		path: todosPath,
		fields: []fieldSpec{
			{"todoId", identifier, true, 255},
			{"type", choice, true, 0},
			{"sourceBizId", identifier, true, 255},
			{"assigneeUsername", identifier, true, 128},
			{"initiatorUsername", identifier, false, 128},
			{"title", freeText, true, 1024},
			{"summary", freeText, false, 4096},
			{"category", freeText, true, 128},
			{"actionUrl", address, true, 2048},
			{"dueAt", instant, false, 0},
		},
		valid:     newTodo().with("todoId", item.ID).with("assigneeUsername", item.AssigneeUsername).with("title", "Changed"),
		fresh:     func(*testing.T) (string, fields) { return todosPath, newTodo() },
		untouched: func(t *testing.T) { t.Helper(); s.main.unchanged(t, item) },
		shows: func(t *testing.T, a answer, _ fields, field string) string {
			t.Helper()
			return textField(t, a.ok(t), map[string]string{"todoId": "id"}, field)
		},
	}
}

// clearBody aims at an open item.
func (s *suite) clearBody(t *testing.T) bodySpec {
	t.Helper()
	item := s.main.upsert(t, newTodo())
	body := fields{"result": "done", "clearedAt": "2030-01-01T00:00:00Z", "clearedBy": "carla", "reason": "why"}
	return bodySpec{
		name: "clear",
		path: todoPath(item.ID, "clear"),
		fields: []fieldSpec{
			{"result", freeText, true, 255},
			{"clearedAt", instant, false, 0},
			{"clearedBy", identifier, false, 128},
			{"reason", freeText, false, 1024},
		},
		valid: body,
		fresh: func(t *testing.T) (string, fields) {
			t.Helper()
			return todoPath(s.main.upsert(t, newTodo()).ID, "clear"), body
		},
		untouched: func(t *testing.T) { t.Helper(); s.main.unchanged(t, item) },
		shows: func(t *testing.T, a answer, _ fields, field string) string {
			t.Helper()
			return textField(t, a.ok(t), nil, field)
		},
	}
}

// pushBody aims at a user whose inbox is empty.
func (s *suite) pushBody(t *testing.T) bodySpec {
	t.Helper()
	body := newMessage()
	return bodySpec{
		name: "push",
		path: messagesPath,
		fields: []fieldSpec{
			{"sourceMessageId", identifier, true, 255},
			{"title", freeText, true, 1024},
			{"content", freeBytes, true, 65_536},
			{"category", freeText, false, 128},
			{"occurredAt", instant, false, 0},
		},
		valid: body,
		fresh: func(*testing.T) (string, fields) { return messagesPath, newMessage() },
		untouched: func(t *testing.T) {
			t.Helper()
			if got := s.main.inbox(t, "username", body.target()); len(got) != 0 {
				t.Errorf("a refused push stored %d records", len(got))
			}
		},
		shows: func(t *testing.T, a answer, body fields, field string) string {
			t.Helper()
			a.okNull(t)
			list := s.main.get(t, inboxPath+"?"+pairs([]string{"username", body.target()})).page(t)
			if list.Count != 1 {
				t.Fatalf("%d records are stored, want 1", list.Count)
			}
			return textField(t, list.Data[0], nil, field)
		},
	}
}

// textField reads a string field of a record; renamed maps names of the request to the record's.
func textField(t *testing.T, record []byte, renamed map[string]string, name string) string {
	t.Helper()
	if other, ok := renamed[name]; ok {
		name = other
	}
	entries, err := objectEntries(record)
	if err != nil {
		t.Fatal(err)
	}
	text, err := decodeExact[string](entries[name])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// refuses sends a bad body and demands a 400 that names the field.
func (b bodySpec) refuses(t *testing.T, s *suite, body any, field string) {
	t.Helper()
	a := s.main.post(t, b.path, body)
	if a.status != s.failureStatus(http.StatusBadRequest) {
		t.Errorf("a bad %s was not refused: %s", field, a)
		return
	}
	a.failsNaming(t, field)
}

// refusesRaw sends a body that is bad as a whole.
func (b bodySpec) refusesRaw(t *testing.T, s *suite, body []byte) {
	t.Helper()
	a := s.main.post(t, b.path, body)
	if a.status != s.failureStatus(http.StatusBadRequest) {
		t.Errorf("a bad body was not refused: %s", a)
		return
	}
	a.fails(t, http.StatusBadRequest)
}

// rawWith writes the valid body with the bytes of one field's value as they are.
func (b bodySpec) rawWith(t *testing.T, field, value string) []byte {
	t.Helper()
	const mark = "@@value@@"
	data := marshal(t, b.valid.with(field, mark))
	return bytes.Replace(data, []byte(`"`+mark+`"`), []byte(value), 1)
}

// eachBody runs a check against every call with a body, then looks at the record.
func eachBody(check func(*testing.T, *suite, bodySpec)) func(*testing.T, *suite) {
	return func(t *testing.T, s *suite) {
		for _, b := range s.bodies(t) {
			t.Run(b.name, func(t *testing.T) {
				check(t, s, b)
				b.untouched(t)
			})
		}
	}
}

// longText is n characters of four bytes each, so that a limit in bytes would show.
func longText(n int) string { return strings.Repeat("😀", n) }

// awkwardTexts are texts that must come back as they are.
func awkwardTexts() []string {
	return []string{
		" lead and trail ", "line one\nline two\r\n\ttab", `"quoted" \ back / slash`, "<b>&amp;</b>", "%41%zz%", "${x} {{y}}",
		"é", "e\u0301", "\u202eright to left\u202c", "\u2028\u2029\u00a0\ufeff", "👩‍👩‍👧 \U0010ffff", "'; DROP TABLE todo; --", "\x01\x1f\x7f\u0085",
		"null", "-1", "1e999", "\\u0041", "日本語", "\ufffd",
	}
}

// distinctTwins are pairs of endings that some stores take for the same.
func distinctTwins() [][2]string {
	return [][2]string{
		{"é", "e\u0301"}, {"a", "A"}, {"x", "x "}, {"ß", "ss"}, {"1", "１"}, {"i", "ı"}, {"Å", "\u212b"}, {"%", "%25"}, {"_", "x"},
	}
}

// describe shortens a value for a message.
func describe(value any) string { return short(fmt.Sprintf("%#v", value)) }
