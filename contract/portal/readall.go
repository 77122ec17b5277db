package portal

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"example.com/hub/contract"
)

func readAllCases() []testCase {
	return []testCase{
		{"pages of a user with a cursor have a watermark", readAllPages},
		{"what was stored before the page becomes READ and the rest stays", readAllUpTo},
		{"sourceAppId and category choose what becomes READ", readAllFilters},
		{"a repeat switches nothing", readAllRepeat},
		{"one read event tells of the newest switched record", readAllEvent},
		{"a watermark of another user or none is refused", readAllRefused},
		{"the parameters of a read-all are checked", readAllChecks},
	}
}

const readAllPath = inboxPath + "/read-all"

// watermarkOf reads the first page of a user's inbox.
func watermarkOf(t *testing.T, s *contract.Session, user string) string {
	t.Helper()
	var watermark string
	raw := userInbox(s, user).page(t, s, "cursor", "", "size", "1").members["watermark"]
	if err := json.Unmarshal(raw, &watermark); err != nil || watermark == "" {
		t.Fatalf("the watermark is %q, %v", raw, err)
	}
	return watermark
}

// switched marks all read and gives how many were switched.
func switched(t *testing.T, s *contract.Session, user, upTo string, more ...any) int {
	t.Helper()
	body := object{"username": user, "upTo": upTo}.with(more...)
	var data map[string]int
	if err := json.Unmarshal(s.Call(t, http.MethodPost, readAllPath, body, nil).OK(t), &data); err != nil || len(data) != 1 {
		t.Fatalf("the data is %v, %v", data, err)
	}
	return data["switched"]
}

// unreadIDs are the message ids of what a user has not read, the newest first.
func unreadIDs(t *testing.T, s *contract.Session, user string) (ids []string) {
	t.Helper()
	for _, e := range inboxOf(t, s, user, "status", "UNREAD") {
		ids = append(ids, e.SourceMessageID)
	}
	return ids
}

// pushTo pushes a message to a user and gives its id.
func pushTo(t *testing.T, s *contract.Session, user string, more ...any) string {
	t.Helper()
	body := pushBody().with("targetUsernames", []string{user}).with(more...)
	s.Call(t, http.MethodPost, pushPath, body, nil).OK(t)
	return body["sourceMessageId"].(string)
}

func readAllPages(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	inbox := userInbox(s, user)
	watermarkOf(t, s, user)
	pushTo(t, s, user)
	watermarkOf(t, s, user)
	if p := inbox.page(t, s); p.members["watermark"] != nil {
		t.Errorf("a page by its number has a watermark: %s", p.members)
	}
	all := list{path: inboxPath, filters: url.Values{}}
	want(t, "of all users", string(all.page(t, s, "cursor", "", "size", "1").members["watermark"]), "null")
}

func readAllUpTo(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	for range 3 {
		pushTo(t, s, user)
	}
	upTo := watermarkOf(t, s, user)
	later := pushTo(t, s, user, "occurredAt", "2020-01-01T00:00:00Z")
	want(t, "switched", switched(t, s, user, upTo), 3)
	want(t, "unread", unreadIDs(t, s, user), []string{later})
	want(t, "switched with the next watermark", switched(t, s, user, watermarkOf(t, s, user)), 1)
}

func readAllFilters(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	pushTo(t, s, user, "category", "notice")
	pushTo(t, s, user, "category", "alarm")
	other := pushTo(t, s.Other(), user, "category", "notice")
	upTo := watermarkOf(t, s, user)
	var mine string
	for _, r := range userInbox(s, user).records(t, s) {
		if string(r["sourceMessageId"]) != `"`+other+`"` {
			if err := json.Unmarshal(r["sourceAppId"], &mine); err != nil {
				t.Fatal(err)
			}
		}
	}
	want(t, "of the client and the category", switched(t, s, user, upTo, "sourceAppId", mine, "category", "alarm"), 1)
	want(t, "of an unknown category", switched(t, s, user, upTo, "category", "other"), 0)
	want(t, "of the client", switched(t, s, user, upTo, "sourceAppId", mine, "category", ""), 1)
	want(t, "unread", unreadIDs(t, s, user), []string{other})
	want(t, "of the category", switched(t, s, user, upTo, "sourceAppId", nil, "category", "notice"), 1)
}

// records gives the records of the list as they came.
func (l list) records(t *testing.T, s *contract.Session) []map[string]json.RawMessage {
	t.Helper()
	var answer struct {
		Data []map[string]json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(l.get(t, s).Body, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data
}

func readAllRepeat(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	want(t, "of nothing", switched(t, s, user, watermarkOf(t, s, user)), 0)
	pushTo(t, s, user)
	upTo := watermarkOf(t, s, user)
	want(t, "the first", switched(t, s, user, upTo), 1)
	want(t, "the second", switched(t, s, user, upTo), 0)
}

func readAllEvent(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	stream := s.Listen(t, user)
	newest := pushTo(t, s, user, "occurredAt", "2026-01-02T00:00:00Z")
	pushTo(t, s, user, "occurredAt", "2026-01-01T00:00:00Z")
	for range 2 {
		if kind, id := stream.Change(t); kind != "message" {
			t.Fatalf("the event is %s of %s", kind, id)
		}
	}
	upTo := watermarkOf(t, s, user)
	want(t, "switched", switched(t, s, user, upTo), 2)
	kind, id := stream.Change(t)
	want(t, "the event", kind+" of "+id, "read of "+newest)
	want(t, "switched again", switched(t, s, user, upTo), 0)
	pushTo(t, s, user)
	kind, id = stream.Change(t)
	want(t, "the next event", kind, "message")
	want(t, "its record", id, inboxOf(t, s, user, "status", "UNREAD")[0].ID)
}

func readAllRefused(t *testing.T, s *contract.Session) {
	user, other := contract.Fresh("user"), contract.Fresh("user")
	pushTo(t, s, user)
	inbox := userInbox(s, user)
	pushTo(t, s, user)
	good := watermarkOf(t, s, user)
	const fault = "up to must be the watermark of a page of this user's inbox"
	for name, upTo := range map[string]string{
		"another user's": watermarkOf(t, s, other),
		"cut":            good[:len(good)-1],
		"longer":         good + "A",
		"a cursor":       inbox.page(t, s, "cursor", "", "size", "1").next,
		"made up":        "c1.AAAA",
		"a time":         "2026-01-01T00:00:00Z",
	} {
		a := s.Call(t, http.MethodPost, readAllPath, object{"username": user, "upTo": upTo}, nil)
		want(t, name, a.Fails(t, http.StatusBadRequest), fault)
	}
	want(t, "unread", len(unreadIDs(t, s, user)), 2)
	a := inbox.get(t, s, "cursor", good)
	want(t, "a watermark as a cursor", a.Fails(t, http.StatusBadRequest), "cursor is not valid for this list")
}

func readAllChecks(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	upTo := watermarkOf(t, s, user)
	good := object{"username": user, "upTo": upTo}
	for msg, body := range map[string]object{
		"username must not be empty":             {"upTo": upTo},
		"up to must not be empty":                {"username": user},
		"upTo must be a string":                  good.with("upTo", 7),
		"sourceAppId must be a string":           good.with("sourceAppId", []string{}),
		"category must not contain NUL":          good.with("category", "\x00"),
		"the request body must be a JSON object": nil,
	} {
		var sent any
		if body != nil {
			sent = body
		}
		want(t, "the message", s.Call(t, http.MethodPost, readAllPath, sent, nil).Fails(t, http.StatusBadRequest), msg)
	}
}
