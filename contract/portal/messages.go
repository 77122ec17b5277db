package portal

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/hub/contract"
)

const pushPath = "/message-hub/messages"

func targetCases() []testCase {
	return []testCase{
		{"user ids name the users where there are no usernames", targetIDs},
		{"usernames win over whatever stands beside them", targetNamesWin},
		{"one wrong id is named and nothing is stored", targetWrongID},
		{"there may be as many user ids as usernames", targetManyIDs},
		{"a message by ids and again by usernames is one message", targetRepeat},
	}
}

// pushBody is a push with nothing that is optional, and without users.
func pushBody() object {
	return object{"sourceMessageId": contract.Fresh("message"), "title": "Travel", "content": "Approved."}
}

// inboxOf lists the records of a user.
func inboxOf(t *testing.T, s *contract.Session, user string, more ...string) []entry {
	t.Helper()
	return userInbox(s, user).page(t, s, more...).entries
}

// userInbox is the list of a user's records.
func userInbox(s *contract.Session, user string) list {
	inbox := lists(s)[1]
	inbox.filters.Set("username", user)
	return inbox
}

func targetIDs(t *testing.T, s *contract.Session) {
	for _, names := range []any{nil, "absent"} {
		amy, ben := contract.Fresh("amy"), contract.Fresh("ben")
		body := pushBody().with("targetUsernames", names, "targetUserIds", []string{ben, amy, ben})
		if names != nil {
			delete(body, "targetUsernames")
		}
		a := s.Call(t, http.MethodPost, pushPath, body, nil)
		a.OK(t)
		want(t, "created", a.Header.Get("Hub-Created"), "2")
		for _, user := range []string{amy, ben} {
			if got := inboxOf(t, s, user); len(got) != 1 || got[0].SourceMessageID != body["sourceMessageId"] {
				t.Errorf("%s has %+v", user, got)
			}
		}
	}
}

func targetNamesWin(t *testing.T, s *contract.Session) {
	amy, ben := contract.Fresh("amy"), contract.Fresh("ben")
	for _, ids := range []any{[]string{ben}, []int{1}, "x", 7, object{}, []string{""}} {
		s.Call(t, http.MethodPost, pushPath, pushBody().with("targetUsernames", []string{amy}, "targetUserIds", ids), nil).OK(t)
	}
	want(t, "records by name", len(inboxOf(t, s, amy)), 6)
	want(t, "records by id", len(inboxOf(t, s, ben)), 0)
	for _, names := range []any{[]string{}, []string{""}, ""} {
		body := pushBody().with("targetUsernames", names, "targetUserIds", []string{ben})
		s.Call(t, http.MethodPost, pushPath, body, nil).Fails(t, http.StatusBadRequest)
	}
	want(t, "records by id in the end", len(inboxOf(t, s, ben)), 0)
}

func targetWrongID(t *testing.T, s *contract.Session) {
	amy := contract.Fresh("amy")
	for id, fault := range map[string]string{
		"":                       "must not be empty",
		"a\x00":                  "must not contain NUL",
		strings.Repeat("a", 129): "must be at most 128 characters",
	} {
		a := s.Call(t, http.MethodPost, pushPath, pushBody().with("targetUserIds", []string{amy, id}), nil)
		want(t, "the message", a.Fails(t, http.StatusBadRequest), "target user ids[1] "+fault)
	}
	for _, ids := range []any{"x", 7, []any{amy, 7}, object{}} {
		a := s.Call(t, http.MethodPost, pushPath, pushBody().with("targetUserIds", ids), nil)
		want(t, "the message", a.Fails(t, http.StatusBadRequest), "targetUserIds must be an array of strings")
	}
	for _, ids := range []any{[]string{}, nil} {
		a := s.Call(t, http.MethodPost, pushPath, pushBody().with("targetUserIds", ids), nil)
		want(t, "the message", a.Fails(t, http.StatusBadRequest), "target usernames must not be empty")
	}
	want(t, "records", len(inboxOf(t, s, amy)), 0)
}

func targetManyIDs(t *testing.T, s *contract.Session) {
	limit := s.Settings().MaxTargets
	amy := contract.Fresh("amy")
	ids := make([]string, limit+1)
	for i := range ids {
		ids[i] = amy
	}
	s.Call(t, http.MethodPost, pushPath, pushBody().with("targetUserIds", ids[:limit]), nil).OK(t)
	msg := s.Call(t, http.MethodPost, pushPath, pushBody().with("targetUserIds", ids), nil).Fails(t, http.StatusBadRequest)
	if !strings.HasPrefix(msg, "target user ids must have at most ") {
		t.Errorf("the message is %q", msg)
	}
	want(t, "records", len(inboxOf(t, s, amy)), 1)
}

func targetRepeat(t *testing.T, s *contract.Session) {
	amy := contract.Fresh("amy")
	body := pushBody()
	s.Call(t, http.MethodPost, pushPath, body.with("targetUserIds", []string{amy}), nil).OK(t)
	a := s.Call(t, http.MethodPost, pushPath, body.with("targetUsernames", []string{amy}), nil)
	want(t, "data", a.OK(t), json.RawMessage("null"))
	want(t, "duplicates", a.Header.Get("Hub-Duplicates"), "1")
}
