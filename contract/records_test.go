package contract

import (
	"encoding/json"
	"testing"
	"time"
)

// change gives a copy of a JSON object with one field replaced, or removed when value is nil.
func change(t *testing.T, object, name string, value any) []byte {
	t.Helper()
	entries, err := objectEntries([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	delete(entries, name)
	if value != nil {
		if entries[name], err = json.Marshal(value); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const (
	goodAudit = `"createTime":"2030-01-02 03:04:05","modifyTime":"2030-01-02 03:04:06","creator":"erp","creatorId":"erp",` +
		`"modifier":"crm","modifierId":"crm","delete":false`
	goodTodo = `{"id":"1","type":"HANDLE","sourceSystem":"erp","sourceBizId":"b","assigneeUsername":"u","initiatorUsername":"","title":"t",` +
		`"summary":"","category":"c","actionUrl":"/","actionAppId":"","dueAt":"2030-01-02T03:04:05.1Z","status":"OPEN","result":"",` +
		`"clearedAt":null,"clearedBy":"","reason":"",` + goodAudit + `}`
	goodMessage = `{"id":"1","username":"u","sourceAppId":"erp","sourceMessageId":"m","idempotencyKey":"erp:m:u","title":"t","content":"c",` +
		`"category":"","actions":[{"label":"l","url":"/"}],"status":"UNREAD","occurredAt":"2030-01-02T03:04:05Z","readAt":null,` + goodAudit + `}`
)

func TestParseTodo(t *testing.T) {
	if _, err := parseTodo([]byte(goodTodo), time.UTC); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		name  string
		value any
	}{
		{"id", nil},
		{"actionAppId", nil},
		{"more", "x"},
		{"type", "handle"},
		{"type", 1},
		{"status", "DONE"},
		{"status", "CLEARED"},
		{"clearedAt", "2030-01-02T03:04:05Z"},
		{"dueAt", "2030-01-02 03:04:05"},
		{"dueAt", "2030-01-02T03:04:05+00:00"},
		{"dueAt", "2030-01-02T03:04:05.1234567Z"},
		{"dueAt", 1893456000},
		{"createTime", "2030-01-02T03:04:05Z"},
		{"createTime", "2030-01-02 03:04:05.5"},
		{"createTime", "2030-01-02 03:04"},
		{"modifyTime", "2029-01-02 03:04:06"},
		{"creator", "ann"},
		{"modifierId", ""},
		{"delete", true},
		{"delete", "false"},
		{"summary", json.RawMessage("null")},
		{"actionAppId", "x"},
	} {
		if _, err := parseTodo(change(t, goodTodo, bad.name, bad.value), time.UTC); err == nil {
			t.Errorf("%s = %v was taken", bad.name, bad.value)
		}
	}
}

func TestParseMessage(t *testing.T) {
	if _, err := parseMessage([]byte(goodMessage), time.UTC); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		name  string
		value any
	}{
		{"id", ""},
		{"id", 5},
		{"readAt", nil},
		{"more", 1},
		{"status", "unread"},
		{"status", "READ"},
		{"readAt", "2030-01-02T03:04:05Z"},
		{"occurredAt", json.RawMessage("null")},
		{"occurredAt", "x"},
		{"actions", json.RawMessage("null")},
		{"actions", []any{map[string]string{"label": "x"}}},
		{"idempotencyKey", "u:m:erp"},
		{"username", "v"},
		{"creatorId", ""},
		{"delete", true},
	} {
		if _, err := parseMessage(change(t, goodMessage, bad.name, bad.value), time.UTC); err == nil {
			t.Errorf("%s = %v was taken", bad.name, bad.value)
		}
	}
}

func TestParseEvent(t *testing.T) {
	now, err := json.Marshal(time.Now().UnixMilli())
	if err != nil {
		t.Fatal(err)
	}
	ts := string(now)
	good := sseEvent{Name: "message", Data: `{"type":"message","id":"1","ts":` + ts + `}`, LastEventID: "1", HasID: true}
	if _, err := parseEvent(good); err != nil {
		t.Error(err)
	}
	beat := sseEvent{Name: "heartbeat", Data: `{"type":"heartbeat","id":null,"ts":` + ts + `}`, LastEventID: "1"}
	if _, err := parseEvent(beat); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(e *sseEvent){
		"another event line":    func(e *sseEvent) { e.Name = "read" },
		"an unknown type":       func(e *sseEvent) { e.Name, e.Data = "x", `{"type":"x","id":"1","ts":`+ts+`}` },
		"another id line":       func(e *sseEvent) { e.LastEventID = "2" },
		"no id line":            func(e *sseEvent) { e.HasID = false },
		"a null id":             func(e *sseEvent) { e.Data = `{"type":"message","id":null,"ts":` + ts + `}` },
		"more data":             func(e *sseEvent) { e.Data = `{"type":"message","id":"1","ts":` + ts + `,"user":"u"}` },
		"less data":             func(e *sseEvent) { e.Data = `{"type":"message","id":"1"}` },
		"ts in seconds":         func(e *sseEvent) { e.Data = `{"type":"message","id":"1","ts":1893456000}` },
		"ts as a string":        func(e *sseEvent) { e.Data = `{"type":"message","id":"1","ts":"` + ts + `"}` },
		"a heartbeat with id":   func(e *sseEvent) { *e = beat; e.HasID = true },
		"a heartbeat's data id": func(e *sseEvent) { *e = beat; e.Data = `{"type":"heartbeat","id":"1","ts":` + ts + `}` },
	} {
		e := good
		spoil(&e)
		if _, err := parseEvent(e); err == nil {
			t.Errorf("%s: %+v was taken", name, e)
		}
	}
}

func TestInOrder(t *testing.T) {
	rows := []row{{id: "n1", null: true, tie: "1"}, {id: "b2", key: "b", tie: "2"}, {id: "a", key: "a", tie: "9"}, {id: "n2", null: true, tie: "2"}, {id: "b1", key: "b", tie: "1"}}
	for _, step := range []struct {
		descending bool
		want       string
	}{
		{false, `["a","b1","b2","n1","n2"]`},
		{true, `["b2","b1","a","n2","n1"]`},
	} {
		if got := string(marshal(t, inOrder(rows, step.descending))); got != step.want {
			t.Errorf("descending %t: %s, want %s", step.descending, got, step.want)
		}
	}
}
