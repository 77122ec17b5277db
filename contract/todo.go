package contract

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"
)

// todoItem is the contract's TodoItem; every answer has exactly these fields.
type todoItem struct {
	ID                string  `json:"id"`
	Type              string  `json:"type"`
	SourceSystem      string  `json:"sourceSystem"`
	SourceBizID       string  `json:"sourceBizId"`
	AssigneeUsername  string  `json:"assigneeUsername"`
	InitiatorUsername string  `json:"initiatorUsername"`
	Title             string  `json:"title"`
	Summary           string  `json:"summary"`
	Category          string  `json:"category"`
	ActionURL         string  `json:"actionUrl"`
	ActionAppID       string  `json:"actionAppId"`
	DueAt             *string `json:"dueAt"`
	Status            string  `json:"status"`
	Result            string  `json:"result"`
	ClearedAt         *string `json:"clearedAt"`
	ClearedBy         string  `json:"clearedBy"`
	Reason            string  `json:"reason"`
	audit
}

// audit are the fields that every record has.
type audit struct {
	CreateTime string `json:"createTime"`
	ModifyTime string `json:"modifyTime"`
	Creator    string `json:"creator"`
	CreatorID  string `json:"creatorId"`
	Modifier   string `json:"modifier"`
	ModifierID string `json:"modifierId"`
	Delete     bool   `json:"delete"`
}

// check holds the audit fields against the conventions.
func (a audit) check(zone *time.Location) error {
	created, err := parseAudit(a.CreateTime, zone)
	if err != nil {
		return fmt.Errorf("createTime: %w", err)
	}
	modified, err := parseAudit(a.ModifyTime, zone)
	if err != nil {
		return fmt.Errorf("modifyTime: %w", err)
	}
	switch {
	case modified.Before(created.Add(-clockSlack)):
		return fmt.Errorf("modifyTime %s is before createTime %s", a.ModifyTime, a.CreateTime)
	case a.CreatorID == "" || a.Creator != a.CreatorID:
		return fmt.Errorf("creator is %q, creatorId %q", a.Creator, a.CreatorID)
	case a.ModifierID == "" || a.Modifier != a.ModifierID:
		return fmt.Errorf("modifier is %q, modifierId %q", a.Modifier, a.ModifierID)
	case a.Delete:
		return errors.New("delete is true")
	}
	return nil
}

// parseTodo reads a TodoItem and checks what holds for every one.
func parseTodo(data []byte, zone *time.Location) (todoItem, error) {
	item, err := decodeExact[todoItem](data)
	if err != nil {
		return item, err
	}
	if err := item.check(zone); err != nil {
		return item, err
	}
	for name, value := range map[string]*string{"dueAt": item.DueAt, "clearedAt": item.ClearedAt} {
		if value == nil {
			continue
		}
		if _, err := parseInstant(*value); err != nil {
			return item, fmt.Errorf("%s: %w", name, err)
		}
	}
	switch {
	case item.Type != "HANDLE" && item.Type != "REVIEW":
		return item, fmt.Errorf("type is %q", item.Type)
	case !slices.Contains([]string{"OPEN", "CLEARED", "INVALID"}, item.Status):
		return item, fmt.Errorf("status is %q", item.Status)
	case (item.Status == "CLEARED") != (item.ClearedAt != nil):
		return item, fmt.Errorf("status is %s and clearedAt is %v", item.Status, item.ClearedAt)
	case item.ActionAppID != "":
		return item, fmt.Errorf("actionAppId is %q", item.ActionAppID)
	}
	return item, nil
}

// parseAudit reads a createTime or modifyTime in the zone of the target.
func parseAudit(text string, zone *time.Location) (time.Time, error) {
	// Go parses fractions and single digits that the layout does not have.
	if len(text) != len(time.DateTime) {
		return time.Time{}, fmt.Errorf("%q is not in the form yyyy-MM-dd HH:mm:ss", text)
	}
	at, err := time.ParseInLocation(time.DateTime, text, zone)
	if err != nil {
		return at, fmt.Errorf("parse: %w", err)
	}
	return at, nil
}

// instantForm is RFC 3339 in UTC with at most microseconds.
var instantForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$`)

// parseInstant reads a business time.
func parseInstant(text string) (time.Time, error) {
	if !instantForm.MatchString(text) {
		return time.Time{}, fmt.Errorf("%q is not RFC 3339 in UTC with at most microseconds", text)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("parse: %w", err)
	}
	return at, nil
}

// newTodo is a valid upsert with every field, of a user of its own.
func newTodo() fields {
	return fields{
		"todoId":            fresh("todo"),
		"type":              "HANDLE",
		"sourceBizId":       fresh("biz"),
		"assigneeUsername":  fresh("user"),
		"initiatorUsername": "ines",
		"title":             "Approve the travel",
		"summary":           "Three days in Lisbon",
		"category":          "travel",
		"actionUrl":         "/travel/1?step=approve",
		"dueAt":             "2031-04-05T06:07:08.123456Z",
	}
}

// id is the todo id of an upsert.
func (f fields) id() string { return f["todoId"].(string) }

// user is the assignee of an upsert.
func (f fields) user() string { return f["assigneeUsername"].(string) }

const todosPath = "/todo-hub/todos"

// todoPath is the path of an action on an item; the id is escaped once.
func todoPath(id, action string) string {
	return todosPath + "/" + url.PathEscape(id) + "/" + action
}

// upsert stores an item and gives it as stored.
func (c *caller) upsert(t *testing.T, body fields) todoItem {
	t.Helper()
	return c.post(t, todosPath, body).todo(t)
}

// clear finishes an item and gives it as stored.
func (c *caller) clear(t *testing.T, id string, body fields) todoItem {
	t.Helper()
	return c.post(t, todoPath(id, "clear"), body).todo(t)
}

// tryInvalidate withdraws an item; query may be empty.
func (c *caller) tryInvalidate(t *testing.T, id string, query url.Values) answer {
	t.Helper()
	path := todoPath(id, "invalidate")
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.send(t, request{method: http.MethodPost, path: path})
}

// invalidate withdraws an item and gives it as stored.
func (c *caller) invalidate(t *testing.T, id, reason string) todoItem {
	t.Helper()
	return c.tryInvalidate(t, id, url.Values{"reason": {reason}}).todo(t)
}

// todo demands a success with one item.
func (a answer) todo(t *testing.T) todoItem {
	t.Helper()
	item, err := parseTodo(a.ok(t), a.s.set.TimeZone)
	if err != nil {
		t.Fatalf("the item: %v: %s", err, a)
	}
	return item
}

// todos demands a list of items.
func (a answer) todos(t *testing.T) ([]todoItem, pageInfo) {
	t.Helper()
	list := a.page(t)
	items := make([]todoItem, 0, len(list.Data))
	for _, data := range list.Data {
		item, err := parseTodo(data, a.s.set.TimeZone)
		if err != nil {
			t.Fatalf("the item: %v: %s", err, a)
		}
		items = append(items, item)
	}
	return items, list.Page
}

// todos lists items by name-value pairs of the query.
func (c *caller) todos(t *testing.T, query ...string) []todoItem {
	t.Helper()
	items, _ := c.get(t, todosPath+"?"+pairs(query)).todos(t)
	return items
}

// stored finds the one item of a user, in whatever state it is.
func (c *caller) stored(t *testing.T, user string) todoItem {
	t.Helper()
	var found []todoItem
	for _, status := range []string{"OPEN", "CLEARED", "INVALID"} {
		for _, kind := range []string{"HANDLE", "REVIEW"} {
			found = append(found, c.todos(t, "assigneeUsername", user, "status", status, "type", kind)...)
		}
	}
	if len(found) != 1 {
		t.Fatalf("user %s has %d items, want 1", user, len(found))
	}
	return found[0]
}

// todoIDs are the ids of items, in order.
func todoIDs(items []todoItem) []string {
	ids := make([]string, 0, len(items))
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// pairs writes a query of name-value pairs, in order.
func pairs(query []string) string {
	text := ""
	for i := 0; i+1 < len(query); i += 2 {
		text += "&" + url.QueryEscape(query[i]) + "=" + url.QueryEscape(query[i+1])
	}
	if text == "" {
		return ""
	}
	return text[1:]
}
