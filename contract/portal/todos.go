package portal

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func todoCases() []testCase {
	return []testCase{
		{"extended answers have the fields of the draft and others do not", draftFields},
		{"a field that is left out becomes empty", draftReplaced},
		{"a payload comes back byte for byte", payloadBytes},
		{"a payload of null is none", payloadNull},
		{"a list has payloads only with view=full", payloadLists},
		{"a payload is at most 16 KiB and nested 64 deep", payloadLimits},
		{"a user id names a user where there is no username", userIDs},
		{"a username wins over whatever stands beside it", userNamesWin},
		{"other faults of these fields are refused and named", draftFaults},
	}
}

// object is a JSON object that a case builds or takes apart.
type object map[string]any

// with gives a copy with other members, by names and values.
func (o object) with(members ...any) object {
	changed := maps.Clone(o)
	for i := 0; i < len(members); i += 2 {
		changed[members[i].(string)] = members[i+1]
	}
	return changed
}

// todoBody is an upsert with nothing that is optional.
func todoBody(user string) object {
	return object{
		"todoId": contract.Fresh("todo"), "type": "HANDLE", "sourceBizId": "1", "assigneeUsername": user,
		"title": "Approve the travel", "category": "travel", "actionUrl": "/travel/1",
	}
}

// draftBody has every field of the draft.
func draftBody(user string) object {
	return todoBody(user).with("actionAppId", "app/1", "payload", object{"amount": 7}, "eventCenterRef", "ref 1", "sourceVersion", 7)
}

// members reads an object and keeps the bytes of its members.
func members(t *testing.T, data []byte) map[string]json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return all
}

// change sends a body below the path of todos and gives the item that is answered.
func change(t *testing.T, s *contract.Session, below string, body any) map[string]json.RawMessage {
	t.Helper()
	return members(t, s.Call(t, http.MethodPost, todosPath+below, body, nil).OK(t))
}

// shown lists the one todo of a user.
func shown(t *testing.T, s *contract.Session, user string, more ...string) map[string]json.RawMessage {
	t.Helper()
	query := url.Values{"assigneeUsername": {user}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	a := s.Call(t, http.MethodGet, todosPath+"?"+query.Encode(), nil, nil)
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &list); err != nil || len(list.Data) != 1 {
		t.Fatalf("%d todos, %v: %s", len(list.Data), err, a)
	}
	return members(t, list.Data[0])
}

// draftNames are the members that only extended answers have.
var draftNames = []string{"payload", "eventCenterRef", "sourceVersion"}

// wantDraft checks the members of the draft, given in JSON; none of them for an answer of the contract.
func wantDraft(t *testing.T, what string, item map[string]json.RawMessage, appID string, draft ...string) {
	t.Helper()
	if got := string(item["actionAppId"]); got != appID {
		t.Errorf("%s: actionAppId is %s, want %s", what, got, appID)
	}
	for i, name := range draftNames {
		got, there := item[name]
		switch {
		case len(draft) == 0 && there:
			t.Errorf("%s has %s", what, name)
		case len(draft) > 0 && string(got) != draft[i]:
			t.Errorf("%s: %s is %s, want %s", what, name, got, draft[i])
		}
	}
}

func draftFields(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := draftBody(user)
	full := []string{`{"amount":7}`, `"ref 1"`, "7"}
	wantDraft(t, "upsert", change(t, s, "", body), `""`)
	wantDraft(t, "upsert in full", change(t, s, "?view=full", body), `"app/1"`, full...)
	wantDraft(t, "list", shown(t, s, user), `""`)
	wantDraft(t, "list in full", shown(t, s, user, "view", "full"), `"app/1"`, full...)
	wantDraft(t, "list by a cursor in full", shown(t, s, user, "view", "full", "cursor", ""), `"app/1"`, full...)
	id := body["todoId"].(string)
	wantDraft(t, "clear", change(t, s, "/"+id+"/clear?view=full", object{"result": "done"}), `""`)
	wantDraft(t, "the finished item", shown(t, s, user, "view", "full", "status", "cleared"), `"app/1"`, full...)
}

func draftReplaced(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := draftBody(user)
	change(t, s, "", body)
	bare := todoBody(user).with("todoId", body["todoId"])
	wantDraft(t, "upsert", change(t, s, "?view=full", bare), `""`, "null", `""`, "7")
	wantDraft(t, "list", shown(t, s, user, "view", "full"), `""`, "null", `""`, "7")
}

func payloadBytes(t *testing.T, s *contract.Session) {
	for _, payload := range []string{
		`{ "b" : [1.0, 1e2, -0], "a":"<\u00e9>&\/" ,"A":{}}`, `"text"`, "0", "true", "false", "[ ]", "\"\u2028\U0001F600\"", "12345678901234567890.5000",
	} {
		user := contract.Fresh("user")
		// By hand, since an encoder would write the payload in its own way.
		body, err := json.Marshal(todoBody(user))
		if err != nil {
			t.Fatal(err)
		}
		raw := append(bytes.TrimSuffix(body, []byte("}")), `,"payload":`+payload+"}"...)
		a := s.Call(t, http.MethodPost, todosPath+"?view=full", raw, nil)
		a.OK(t)
		if !bytes.Contains(a.Body, []byte(`"payload":`+payload+",")) {
			t.Errorf("%s is not in the answer of the upsert: %s", payload, a)
		}
		list := s.Call(t, http.MethodGet, todosPath+"?view=full&assigneeUsername="+user, nil, nil)
		if !bytes.Contains(list.Body, []byte(`"payload":`+payload+",")) {
			t.Errorf("%s is not in the list: %s", payload, list)
		}
	}
}

func payloadNull(t *testing.T, s *contract.Session) {
	item := change(t, s, "?view=full", todoBody(contract.Fresh("user")).with("payload", nil))
	wantDraft(t, "upsert", item, `""`, "null", `""`, "null")
}

func payloadLists(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	change(t, s, "", draftBody(user))
	wantDraft(t, "list by a cursor", shown(t, s, user, "cursor", ""), `"app/1"`, "null", `"ref 1"`, "7")
}

func payloadLimits(t *testing.T, s *contract.Session) {
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	long := func(n int) string { return strings.Repeat("a", n-2) }
	for _, payload := range []any{nested(64), long(16 << 10), strings.Repeat("[", 100)} {
		change(t, s, "", todoBody("amy").with("payload", payload))
	}
	for _, payload := range []any{nested(65), long(16<<10 + 1), nested(5000)} {
		a := s.Call(t, http.MethodPost, todosPath, todoBody("amy").with("payload", payload), nil)
		if msg := a.Fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, "payload must be ") {
			t.Errorf("the message is %q", msg)
		}
	}
}

func userIDs(t *testing.T, s *contract.Session) {
	for _, name := range []any{nil, "absent"} {
		user := contract.Fresh("user")
		body := todoBody("").with("assigneeUsername", nil, "assigneeUserId", user, "initiatorUsername", nil, "initiatorUserId", "ian")
		if name != nil {
			delete(body, "assigneeUsername")
			delete(body, "initiatorUsername")
		}
		change(t, s, "", body)
		item := shown(t, s, user)
		want(t, "assignee", string(item["assigneeUsername"]), strconv.Quote(user))
		want(t, "initiator", string(item["initiatorUsername"]), `"ian"`)
	}
}

func userNamesWin(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	change(t, s, "", todoBody(user).with("assigneeUserId", []int{1}, "initiatorUsername", "", "initiatorUserId", 7))
	want(t, "initiator", string(shown(t, s, user)["initiatorUsername"]), `""`)
	a := s.Call(t, http.MethodPost, todosPath, todoBody("").with("assigneeUserId", user), nil)
	want(t, "the message", a.Fails(t, http.StatusBadRequest), "assignee username must not be empty")
}

func draftFaults(t *testing.T, s *contract.Session) {
	for name, faults := range map[string][]any{
		"action app id":     {"..", "a\n", strings.Repeat("a", 256)},
		"event center ref":  {strings.Repeat("a", 256), "\x00"},
		"source version":    {-1, 1 << 53},
		"actionAppId":       {1, object{}},
		"eventCenterRef":    {true},
		"sourceVersion":     {"1", 1.5, json.RawMessage("1e30")},
		"assigneeUserId":    {1},
		"assignee username": {nil, "", strings.Repeat("a", 129)},
	} {
		for _, value := range faults {
			field := map[string]string{
				"action app id": "actionAppId", "event center ref": "eventCenterRef", "source version": "sourceVersion",
				"assignee username": "assigneeUserId",
			}[name]
			if field == "" {
				field = name
			}
			body := todoBody("amy").with(field, value)
			if field == "assigneeUserId" {
				delete(body, "assigneeUsername")
			}
			if msg := s.Call(t, http.MethodPost, todosPath, body, nil).Fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, name+" must ") {
				t.Errorf("%s %v: the message is %q", field, value, msg)
			}
		}
	}
}
