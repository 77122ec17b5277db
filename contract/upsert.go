package contract

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func upsertCases() []testCase {
	return []testCase{
		stated("an unknown todoId creates an OPEN item", upsertCreates),
		stated("the answer is the stored item", upsertAnswersStored),
		stated("only the required fields are needed", upsertMinimal),
		stated("an existing todoId overwrites the fields", upsertOverwrites),
		stated("an existing todoId refreshes modifyTime", upsertRefreshes),
		stated("the status is not reset to OPEN", upsertKeepsStatus),
		stated("sourceSystem comes from the token", upsertSource),
		settled("a second upsert empties omitted optional fields", upsertEmpties),
		settled("a second upsert keeps what clear and invalidate wrote", upsertKeepsResult),
		settled("strings never set are empty and instants never set are null", upsertAbsent),
		settled("a null optional field counts as absent", upsertNull),
		settled("audit fields are the client id and delete is false", upsertAudit),
		settled("actionAppId is empty until it is taken up", upsertActionApp),
		settled("unknown fields are ignored", upsertUnknown),
		settled("field names are exact", upsertFieldNames),
		settled("texts come back as they were sent", upsertTexts),
		settled("concurrent upserts of one todoId store one item", upsertConcurrent),
	}
}

// wantTodo is the item that an upsert by a client makes, apart from its times.
func wantTodo(body fields, client string) todoItem {
	text := func(name string) string { s, _ := body[name].(string); return s }
	item := todoItem{
		ID:                text("todoId"),
		Type:              text("type"),
		SourceSystem:      client,
		SourceBizID:       text("sourceBizId"),
		AssigneeUsername:  text("assigneeUsername"),
		InitiatorUsername: text("initiatorUsername"),
		Title:             text("title"),
		Summary:           text("summary"),
		Category:          text("category"),
		ActionURL:         text("actionUrl"),
		Status:            "OPEN",
		audit:             audit{Creator: client, CreatorID: client, Modifier: client, ModifierID: client},
	}
	if due := text("dueAt"); due != "" {
		item.DueAt = &due
	}
	return item
}

// sameTodo compares items but for the audit times.
func sameTodo(t *testing.T, got, want todoItem) {
	t.Helper()
	for _, at := range []**string{&got.DueAt, &got.ClearedAt, &want.DueAt, &want.ClearedAt} {
		*at = canonical(t, *at)
	}
	options := cmp.Options{cmp.AllowUnexported(todoItem{}), cmpopts.IgnoreFields(audit{}, "CreateTime", "ModifyTime")}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Errorf("the item differs (-want +got):\n%s", diff)
	}
}

// canonical writes an instant in one of its several spellings.
func canonical(t *testing.T, text *string) *string {
	t.Helper()
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		t.Fatalf("parse an instant: %v", err)
	}
	spelled := at.UTC().Format(time.RFC3339Nano)
	return &spelled
}

// unchanged demands that the one item of a user is what it was, times included.
func (c *caller) unchanged(t *testing.T, want todoItem) {
	t.Helper()
	got := c.stored(t, want.AssigneeUsername)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(todoItem{})); diff != "" {
		t.Errorf("the stored item changed (-want +got):\n%s", diff)
	}
}

func upsertCreates(t *testing.T, s *suite) {
	for _, kind := range []string{"HANDLE", "REVIEW"} {
		body := newTodo().with("type", kind)
		sameTodo(t, s.main.upsert(t, body), wantTodo(body, s.main.cred.ID))
	}
}

func upsertAnswersStored(t *testing.T, s *suite) {
	s.main.unchanged(t, s.main.upsert(t, newTodo()))
}

func upsertMinimal(t *testing.T, s *suite) {
	body := newTodo().without("initiatorUsername", "summary", "dueAt")
	sameTodo(t, s.main.upsert(t, body), wantTodo(body, s.main.cred.ID))
}

func upsertOverwrites(t *testing.T, s *suite) {
	first := newTodo()
	s.main.upsert(t, first)
	second := newTodo().with("todoId", first.id()).with("type", "REVIEW").with("title", "New title").
		with("summary", "New summary").with("category", "new").with("actionUrl", "/new").
		with("initiatorUsername", "otto").with("dueAt", "2032-01-01T00:00:00Z")
	item := s.main.upsert(t, second)
	sameTodo(t, item, wantTodo(second, s.main.cred.ID))
	s.main.unchanged(t, item)
	if left := s.main.todos(t, "assigneeUsername", first.user()); len(left) != 0 {
		t.Errorf("the former assignee still has %d items", len(left))
	}
}

// modifyTime shows seconds only, so the order of the list tells that it was refreshed.
func upsertRefreshes(t *testing.T, s *suite) {
	first := newTodo()
	second := newTodo().with("assigneeUsername", first.user())
	s.main.upsert(t, first)
	s.main.upsert(t, second)
	query := []string{"assigneeUsername", first.user(), "sort", "modifyTime,desc"}
	if got := todoIDs(s.main.todos(t, query...)); got[0] != second.id() {
		t.Fatalf("the later item is not first: %q", got)
	}
	s.main.upsert(t, first)
	if got := todoIDs(s.main.todos(t, query...)); got[0] != first.id() {
		t.Errorf("the item that was upserted again is not first: %q", got)
	}
}

func upsertKeepsStatus(t *testing.T, s *suite) {
	cleared, invalid := newTodo(), newTodo()
	s.main.upsert(t, cleared)
	s.main.upsert(t, invalid)
	s.main.clear(t, cleared.id(), fields{"result": "done"})
	s.main.invalidate(t, invalid.id(), "void")
	if item := s.main.upsert(t, cleared); item.Status != "CLEARED" {
		t.Errorf("an upsert of a CLEARED item makes it %s", item.Status)
	}
	if item := s.main.upsert(t, invalid); item.Status != "INVALID" {
		t.Errorf("an upsert of an INVALID item makes it %s", item.Status)
	}
}

func upsertSource(t *testing.T, s *suite) {
	body := newTodo().with("sourceSystem", "forged")
	if item := s.main.upsert(t, body); item.SourceSystem != s.main.cred.ID {
		t.Errorf("sourceSystem is %q, want %q", item.SourceSystem, s.main.cred.ID)
	}
	if item := s.other.upsert(t, newTodo()); item.SourceSystem != s.other.cred.ID {
		t.Errorf("sourceSystem is %q, want %q", item.SourceSystem, s.other.cred.ID)
	}
}

func upsertEmpties(t *testing.T, s *suite) {
	body := newTodo()
	s.main.upsert(t, body)
	body = body.without("initiatorUsername", "summary", "dueAt")
	item := s.main.upsert(t, body)
	sameTodo(t, item, wantTodo(body, s.main.cred.ID))
	s.main.unchanged(t, item)
}

func upsertKeepsResult(t *testing.T, s *suite) {
	cleared, invalid := newTodo(), newTodo()
	s.main.upsert(t, cleared)
	s.main.upsert(t, invalid)
	finish := fields{"result": "done", "clearedAt": "2030-01-01T00:00:00Z", "clearedBy": "carla", "reason": "why"}
	before := s.main.clear(t, cleared.id(), finish)
	cleared = cleared.with("title", "After clear")
	before.Title = "After clear"
	sameTodo(t, s.main.upsert(t, cleared), before)

	before = s.main.invalidate(t, invalid.id(), "void")
	sameTodo(t, s.main.upsert(t, invalid), before)
}

func upsertAbsent(t *testing.T, s *suite) {
	body := newTodo().without("initiatorUsername", "summary", "dueAt")
	item := s.main.upsert(t, body)
	if item.InitiatorUsername+item.Summary+item.Result+item.ClearedBy+item.Reason+item.ActionAppID != "" {
		t.Errorf("a field never set is not empty: %+v", item)
	}
	if item.DueAt != nil || item.ClearedAt != nil {
		t.Errorf("an instant never set is not null: %+v", item)
	}
}

func upsertNull(t *testing.T, s *suite) {
	body := newTodo()
	s.main.upsert(t, body)
	body = body.with("initiatorUsername", nil).with("summary", nil).with("dueAt", nil)
	sameTodo(t, s.main.upsert(t, body), wantTodo(body, s.main.cred.ID))
}

func upsertAudit(t *testing.T, s *suite) {
	item := s.other.upsert(t, newTodo())
	want := audit{Creator: s.other.cred.ID, CreatorID: s.other.cred.ID, Modifier: s.other.cred.ID, ModifierID: s.other.cred.ID}
	want.CreateTime, want.ModifyTime = item.CreateTime, item.ModifyTime
	if item.audit != want {
		t.Errorf("the audit fields are %+v, want %+v", item.audit, want)
	}
}

func upsertActionApp(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo().with("actionAppId", "app"))
	if item.ActionAppID != "" {
		t.Errorf("actionAppId is %q", item.ActionAppID)
	}
}

func upsertUnknown(t *testing.T, s *suite) {
	body := newTodo()
	sent := body.with("id", "forged").with("status", "CLEARED").with("delete", true).with("reason", "forged").
		with("createTime", 5).with("creator", "forged").with("payload", fields{"deep": []any{1, nil, fields{}}})
	sameTodo(t, s.main.upsert(t, sent), wantTodo(body, s.main.cred.ID))
}

func upsertFieldNames(t *testing.T, s *suite) {
	body := newTodo()
	for _, name := range []string{"TodoId", "todoid", "todo_id", "TODOID", "todoId "} {
		s.main.post(t, todosPath, body.without("todoId").with(name, body.id())).failsNaming(t, "todoId")
	}
	if item := s.main.upsert(t, body.with("TITLE", "forged").with("due_at", "x")); item.Title != body["title"] {
		t.Errorf("TITLE was taken for title: %q", item.Title)
	}
}

func upsertTexts(t *testing.T, s *suite) {
	for _, text := range awkwardTexts() {
		body := newTodo().with("title", text).with("summary", text).with("category", text)
		item := s.main.upsert(t, body)
		sameTodo(t, item, wantTodo(body, s.main.cred.ID))
		s.main.unchanged(t, item)
	}
}

func upsertConcurrent(t *testing.T, s *suite) {
	body := newTodo()
	same := request{method: http.MethodPost, path: todosPath, body: marshal(t, body)}
	for _, a := range s.main.together(t, slices.Repeat([]request{same}, 8)...) {
		a.todo(t)
	}
	s.main.stored(t, body.user())
}
