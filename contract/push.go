package contract

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func pushCases() []testCase {
	return []testCase{
		stated("one inbox record is stored per target user", pushPerTarget),
		stated("every field of the message is stored", pushFields),
		stated("only the required fields are needed", pushMinimal),
		stated("occurredAt defaults to the server time", pushDefaultTime),
		stated("sourceAppId comes from the token", pushSource),
		stated("the idempotencyKey is app, message id and username", pushKey),
		stated("at least one target is needed", pushNoTarget),
		stated("label and url of an action are optional", pushActions),
		settled("null and omitted lists of actions are stored as an empty array", pushNoActions),
		settled("a bad target stores nothing for the others", pushBadTarget),
		settled("the largest number of targets is taken and one more is refused", pushManyTargets),
		settled("20 actions are taken and 21 are refused", pushManyActions),
		settled("texts come back as they were sent", pushTexts),
		settled("unknown fields are ignored", pushUnknown),
		settled("audit fields are the client id and delete is false", pushAudit),
	}
}

// wantMessage is the record that a push by a client makes for a user, apart from id and times.
func wantMessage(body fields, client, user string) inboxMessage {
	text := func(name string) string { s, _ := body[name].(string); return s }
	m := inboxMessage{
		Username:        user,
		SourceAppID:     client,
		SourceMessageID: text("sourceMessageId"),
		IdempotencyKey:  client + ":" + text("sourceMessageId") + ":" + user,
		Title:           text("title"),
		Content:         text("content"),
		Category:        text("category"),
		Actions:         []messageAction{},
		Status:          "UNREAD",
		OccurredAt:      text("occurredAt"),
		audit:           audit{Creator: client, CreatorID: client, Modifier: client, ModifierID: client},
	}
	actions, _ := body["actions"].([]fields)
	for _, action := range actions {
		label, _ := action["label"].(string)
		url, _ := action["url"].(string)
		m.Actions = append(m.Actions, messageAction{Label: label, URL: url})
	}
	return m
}

// sameMessage compares records but for id and audit times, and occurredAt when none was sent.
func sameMessage(t *testing.T, got, want inboxMessage) {
	t.Helper()
	if want.OccurredAt == "" {
		aboutNow(t, "occurredAt", got.OccurredAt)
		got.OccurredAt = ""
	} else {
		got.OccurredAt, want.OccurredAt = *canonical(t, &got.OccurredAt), *canonical(t, &want.OccurredAt)
	}
	options := cmp.Options{
		cmp.AllowUnexported(inboxMessage{}),
		cmpopts.IgnoreFields(audit{}, "CreateTime", "ModifyTime"),
		cmpopts.IgnoreFields(inboxMessage{}, "ID"),
	}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Errorf("the record differs (-want +got):\n%s", diff)
	}
}

func pushPerTarget(t *testing.T, s *suite) {
	users := []string{fresh("ann"), fresh("bob"), fresh("cem")}
	body := newMessage(users...)
	if got := s.main.push(t, body); got != (pushed{Created: 3}) {
		t.Errorf("the counts are %+v", got)
	}
	ids := map[string]bool{}
	for _, user := range users {
		m := s.main.record(t, user)
		sameMessage(t, m, wantMessage(body, s.main.cred.ID, user))
		ids[m.ID] = true
	}
	if len(ids) != len(users) {
		t.Errorf("%d records share %d ids", len(users), len(ids))
	}
}

func pushFields(t *testing.T, s *suite) {
	body := newMessage().with("actions", []fields{{"label": "Show", "url": "/a"}, {"label": "Hide", "url": "/b?x=1#y"}})
	s.main.push(t, body)
	sameMessage(t, s.main.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
}

func pushMinimal(t *testing.T, s *suite) {
	body := newMessage().without("category", "actions", "occurredAt")
	s.main.push(t, body)
	sameMessage(t, s.main.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
}

func pushDefaultTime(t *testing.T, s *suite) {
	for _, body := range []fields{newMessage().without("occurredAt"), newMessage().with("occurredAt", nil)} {
		s.main.push(t, body)
		aboutNow(t, "occurredAt", s.main.record(t, body.target()).OccurredAt)
	}
}

func pushSource(t *testing.T, s *suite) {
	body := newMessage().with("sourceAppId", "forged")
	s.main.push(t, body)
	if m := s.main.record(t, body.target()); m.SourceAppID != s.main.cred.ID {
		t.Errorf("sourceAppId is %q, want %q", m.SourceAppID, s.main.cred.ID)
	}
}

func pushKey(t *testing.T, s *suite) {
	body := newMessage()
	s.other.push(t, body)
	want := s.other.cred.ID + ":" + body.messageID() + ":" + body.target()
	if m := s.main.record(t, body.target()); m.IdempotencyKey != want {
		t.Errorf("idempotencyKey is %q, want %q", m.IdempotencyKey, want)
	}
}

func pushNoTarget(t *testing.T, s *suite) {
	for _, body := range []fields{
		newMessage().without("targetUsernames"),
		newMessage().with("targetUsernames", nil),
		newMessage().with("targetUsernames", []string{}),
	} {
		msg := s.main.post(t, messagesPath, body).fails(t, http.StatusBadRequest)
		if msg != "target usernames must not be empty" {
			t.Errorf("the message is %q", msg)
		}
	}
}

func pushActions(t *testing.T, s *suite) {
	body := newMessage().with("actions", []fields{
		{"label": "only a label"},
		{"url": "/only-a-url"},
		{},
		{"label": nil, "url": nil},
		{"label": "", "url": ""},
		{"label": "more", "url": "/more", "color": "red"},
	})
	s.main.push(t, body)
	sameMessage(t, s.main.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
}

func pushNoActions(t *testing.T, s *suite) {
	for _, body := range []fields{
		newMessage().without("actions"),
		newMessage().with("actions", nil),
		newMessage().with("actions", []fields{}),
	} {
		s.main.push(t, body)
		if m := s.main.record(t, body.target()); m.Actions == nil || len(m.Actions) != 0 {
			t.Errorf("actions are %v", m.Actions)
		}
	}
}

func pushBadTarget(t *testing.T, s *suite) {
	for _, bad := range []any{"", "  ", nil, 5, "a\x00b", "a\nb", []string{"x"}, longText(129)} {
		user := fresh("user")
		body := newMessage().with("targetUsernames", []any{user, bad})
		s.main.post(t, messagesPath, body).failsNaming(t, "targetUsernames")
		if got := s.main.inbox(t, "username", user); len(got) != 0 {
			t.Errorf("the target beside %v got %d records", bad, len(got))
		}
	}
}

func pushManyTargets(t *testing.T, s *suite) {
	users := make([]string, s.set.MaxTargets+1)
	for i := range users {
		users[i] = fmt.Sprintf("%s-%d", fresh("u"), i)
	}
	body := newMessage(users...)
	if size := len(marshal(t, body)); size > s.set.MaxBody {
		t.Fatalf("the settings do not fit: %d targets need %d bytes", s.set.MaxTargets, size)
	}
	s.main.post(t, messagesPath, body).failsNaming(t, "targetUsernames")
	if got := s.main.inbox(t, "sourceMessageId", body.messageID()); len(got) != 0 {
		t.Errorf("a refused push stored records")
	}
	body = body.with("targetUsernames", users[1:])
	if got := s.main.push(t, body); got != (pushed{Created: s.set.MaxTargets}) {
		t.Errorf("the counts are %+v", got)
	}
	_, page := s.main.get(t, inboxPath+"?"+pairs([]string{"sourceMessageId", body.messageID(), "size", "1"})).messages(t)
	if page.TotalCount != int64(s.set.MaxTargets) {
		t.Errorf("%d records are stored, want %d", page.TotalCount, s.set.MaxTargets)
	}
}

func pushManyActions(t *testing.T, s *suite) {
	var actions []fields
	for i := range 20 {
		actions = append(actions, fields{"label": fmt.Sprint(i), "url": fmt.Sprintf("/%d", i)})
	}
	body := newMessage().with("actions", append(actions, fields{"label": "20"}))
	s.main.post(t, messagesPath, body).failsNaming(t, "actions")
	body = body.with("actions", actions)
	s.main.push(t, body)
	sameMessage(t, s.main.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
}

func pushTexts(t *testing.T, s *suite) {
	for _, text := range awkwardTexts() {
		body := newMessage().with("title", text).with("content", text).with("category", text).
			with("actions", []fields{{"label": text, "url": "/x"}})
		s.main.push(t, body)
		sameMessage(t, s.main.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
	}
}

func pushUnknown(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body.with("id", "forged").with("status", "READ").with("readAt", 5).with("targetUserIds", []int{1}))
	sameMessage(t, s.main.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
}

func pushAudit(t *testing.T, s *suite) {
	body := newMessage()
	s.other.push(t, body)
	m := s.main.record(t, body.target())
	want := audit{Creator: s.other.cred.ID, CreatorID: s.other.cred.ID, Modifier: s.other.cred.ID, ModifierID: s.other.cred.ID}
	want.CreateTime, want.ModifyTime = m.CreateTime, m.ModifyTime
	if m.audit != want {
		t.Errorf("the audit fields are %+v, want %+v", m.audit, want)
	}
}
