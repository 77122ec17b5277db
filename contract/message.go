package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"
)

// inboxMessage is the contract's InboxMessage; every answer has exactly these fields.
type inboxMessage struct {
	ID              string          `json:"id"`
	Username        string          `json:"username"`
	SourceAppID     string          `json:"sourceAppId"`
	SourceMessageID string          `json:"sourceMessageId"`
	IdempotencyKey  string          `json:"idempotencyKey"`
	Title           string          `json:"title"`
	Content         string          `json:"content"`
	Category        string          `json:"category"`
	Actions         []messageAction `json:"actions"`
	Status          string          `json:"status"`
	OccurredAt      string          `json:"occurredAt"`
	ReadAt          *string         `json:"readAt"`
	audit
}

// messageAction is the contract's MessageAction.
type messageAction struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// parseMessage reads an InboxMessage and checks what holds for every one.
func parseMessage(data []byte, zone *time.Location) (inboxMessage, error) {
	m, err := decodeExact[inboxMessage](data)
	if err != nil {
		return m, err
	}
	if err := m.check(zone); err != nil {
		return m, err
	}
	if _, err := parseInstant(m.OccurredAt); err != nil {
		return m, fmt.Errorf("occurredAt: %w", err)
	}
	if m.ReadAt != nil {
		if _, err := parseInstant(*m.ReadAt); err != nil {
			return m, fmt.Errorf("readAt: %w", err)
		}
	}
	key := m.SourceAppID + ":" + m.SourceMessageID + ":" + m.Username
	switch {
	case m.ID == "":
		return m, fmt.Errorf("id is empty")
	case m.Status != "UNREAD" && m.Status != "READ":
		return m, fmt.Errorf("status is %q", m.Status)
	case (m.Status == "READ") != (m.ReadAt != nil):
		return m, fmt.Errorf("status is %s and readAt is %v", m.Status, m.ReadAt)
	case m.IdempotencyKey != key:
		return m, fmt.Errorf("idempotencyKey is %q, want %q", m.IdempotencyKey, key)
	}
	return m, nil
}

// newMessage is a valid push with every field to one user of its own, or to the users named.
func newMessage(users ...string) fields {
	if len(users) == 0 {
		users = []string{fresh("user")}
	}
	return fields{
		"sourceMessageId": fresh("msg"),
		"targetUsernames": users,
		"title":           "The travel was approved",
		"content":         "Have a good time in Lisbon.",
		"category":        "travel",
		"actions":         []fields{{"label": "Show", "url": "/travel/1"}},
		"occurredAt":      "2030-01-02T03:04:05.678901Z",
	}
}

// messageID is the sender's id of a push.
func (f fields) messageID() string { return f["sourceMessageId"].(string) }

// target is the first target of a push.
func (f fields) target() string { return f["targetUsernames"].([]string)[0] }

const (
	messagesPath = "/message-hub/messages"
	inboxPath    = "/message-hub/inbox"
	unreadPath   = "/message-hub/unread-count"
	streamPath   = "/message-hub/stream"
)

// pushed are the counts that the answer to a push carries in its headers.
type pushed struct{ Created, Duplicates int }

// push stores a message and gives the counts.
func (c *caller) push(t *testing.T, body fields) pushed {
	t.Helper()
	return c.post(t, messagesPath, body).pushed(t)
}

// pushed demands a success of a push.
func (a answer) pushed(t *testing.T) pushed {
	t.Helper()
	a.okNull(t)
	return pushed{Created: a.count(t, "Hub-Created"), Duplicates: a.count(t, "Hub-Duplicates")}
}

// count demands a header with a number.
func (a answer) count(t *testing.T, name string) int {
	t.Helper()
	value, err := strconv.Atoi(a.got.Get(name))
	if err != nil {
		t.Fatalf("the header %s is %q: %s", name, a.got.Get(name), a)
	}
	return value
}

// messages demands a list of records.
func (a answer) messages(t *testing.T) ([]inboxMessage, pageInfo) {
	t.Helper()
	list := a.page(t)
	records := make([]inboxMessage, 0, len(list.Data))
	for _, data := range list.Data {
		m, err := parseMessage(data, a.s.set.TimeZone)
		if err != nil {
			t.Fatalf("the record: %v: %s", err, a)
		}
		records = append(records, m)
	}
	return records, list.Page
}

// inbox lists records by name-value pairs of the query.
func (c *caller) inbox(t *testing.T, query ...string) []inboxMessage {
	t.Helper()
	records, _ := c.get(t, inboxPath+"?"+pairs(query)).messages(t)
	return records
}

// record finds the one record of a user.
func (c *caller) record(t *testing.T, user string) inboxMessage {
	t.Helper()
	records := c.inbox(t, "username", user)
	if len(records) != 1 {
		t.Fatalf("user %s has %d records, want 1", user, len(records))
	}
	return records[0]
}

// unread counts the unread records of a user.
func (c *caller) unread(t *testing.T, user string) int {
	t.Helper()
	data := c.get(t, unreadPath+"?"+pairs([]string{"username", user})).ok(t)
	var count int
	if err := json.Unmarshal(data, &count); err != nil {
		t.Fatalf("the unread count is %s", data)
	}
	return count
}

// readPath is the path that marks a message read; the id is escaped once.
func readPath(messageID string, query ...string) string {
	return messagesPath + "/" + url.PathEscape(messageID) + "/read?" + pairs(query)
}

// markRead marks a user's records of a message read.
func (c *caller) markRead(t *testing.T, messageID, user string) {
	t.Helper()
	c.send(t, request{method: http.MethodPost, path: readPath(messageID, "username", user)}).okNull(t)
}

// messageIDs are the senders' ids of records, in order.
func messageIDs(records []inboxMessage) []string {
	ids := make([]string, 0, len(records))
	for _, m := range records {
		ids = append(ids, m.SourceMessageID)
	}
	return ids
}
