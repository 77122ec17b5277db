package todo_test

import (
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
)

func wantInvalid(t *testing.T, err error, field, public string) {
	t.Helper()
	wantFault(t, err, fault.Invalid, public)
	if err != nil && fault.As(err).Field != field {
		t.Errorf("field %q, want %q", fault.As(err).Field, field)
	}
}

// repair is the first fault of a request and how to put it right; the next fault comes to light then.
type repair struct {
	field, public string
	fix           func()
}

// The services of these tests have no store: nothing invalid may reach one.

func TestUpsertNamesFirstFaultInOrder(t *testing.T) {
	s := newService(t, nil, defaultRules)
	minus := int64(-1)
	year0 := time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC)
	r := todo.UpsertRequest{Report: todo.Report{
		Type: 3, InitiatorUsername: "i\n", Summary: strings.Repeat("s", 4097), DueAt: &year0,
		ActionAppID: "..", Payload: "{", EventCenterRef: strings.Repeat("r", 256), SourceVersion: &minus,
	}}
	for _, step := range []repair{
		{"todo_id", "todo id must not be empty", func() { r.ID = "a" }},
		{"type", "type must be HANDLE or REVIEW", func() { r.Type = 0 }},
		{"type", "type must not be empty", func() { r.Type = todo.Review }},
		{"source_biz_id", "source biz id must not be empty", func() { r.SourceBizID = "b" }},
		{"assignee_username", "assignee username must not be empty", func() { r.AssigneeUsername = "ann" }},
		{"initiator_username", "initiator username must not contain control characters", func() { r.InitiatorUsername = "" }},
		{"title", "title must not be empty", func() { r.Title = "t" }},
		{"summary", "summary must be at most 4096 characters", func() { r.Summary = "" }},
		{"category", "category must not be empty", func() { r.Category = "c" }},
		{"action_url", "action url must not be empty", func() { r.ActionURL = "/act" }},
		{"due_at", "due at must be an RFC 3339 instant of the years 1 to 9999", func() { r.DueAt = nil }},
		{"action_app_id", `action app id must not be ".."`, func() { r.ActionAppID = "" }},
		{"payload", "payload must be JSON", func() { r.Payload = "" }},
		{"event_center_ref", "event center ref must be at most 255 characters", func() { r.EventCenterRef = "" }},
		{"source_version", "source version must be an integer from 0 to 9007199254740991", nil},
	} {
		_, err := s.Upsert(t.Context(), "erp", r)
		wantInvalid(t, err, step.field, step.public)
		if step.fix != nil {
			step.fix()
		}
	}
}

func TestUpsertRefuses(t *testing.T) {
	s := newService(t, nil, todo.Rules{URLSchemes: []string{"https"}})
	tests := []struct {
		name          string
		change        func(*todo.UpsertRequest)
		field, public string
	}{
		{"blank id", func(r *todo.UpsertRequest) { r.ID = " \t" }, "todo_id", "todo id must not be empty"},
		{"id of two dots", func(r *todo.UpsertRequest) { r.ID = ".." }, "todo_id", `todo id must not be ".."`},
		{"NUL in id", func(r *todo.UpsertRequest) { r.ID = "a\x00" }, "todo_id", "todo id must not contain NUL"},
		{"long id", func(r *todo.UpsertRequest) { r.ID = strings.Repeat("a", 256) }, "todo_id", "todo id must be at most 255 characters"},
		{"negative type", func(r *todo.UpsertRequest) { r.Type = -1 }, "type", "type must be HANDLE or REVIEW"},
		{"long biz id", func(r *todo.UpsertRequest) { r.SourceBizID = strings.Repeat("a", 256) }, "source_biz_id", "source biz id must be at most 255 characters"},
		{"long assignee", func(r *todo.UpsertRequest) { r.AssigneeUsername = strings.Repeat("a", 129) }, "assignee_username", "assignee username must be at most 128 characters"},
		{"long title", func(r *todo.UpsertRequest) { r.Title = strings.Repeat("a", 1025) }, "title", "title must be at most 1024 characters"},
		{"NUL in summary", func(r *todo.UpsertRequest) { r.Summary = "\x00" }, "summary", "summary must not contain NUL"},
		{"long category", func(r *todo.UpsertRequest) { r.Category = strings.Repeat("a", 129) }, "category", "category must be at most 128 characters"},
		{"script", func(r *todo.UpsertRequest) { r.ActionURL = "JavaScript:x" }, "action_url", "action url must not use the scheme javascript"},
		{"scheme not on the list", func(r *todo.UpsertRequest) { r.ActionURL = "http://x" }, "action_url", "action url must use one of the schemes https"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := report("a")
			tt.change(&r)
			_, err := s.Upsert(t.Context(), "erp", r)
			wantInvalid(t, err, tt.field, tt.public)
		})
	}
}

func TestUpsertTakesLongestValues(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	letters := func(n int) string { return strings.Repeat("\u6f22", n) }
	highest := int64(1<<53 - 1)
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	r := todo.UpsertRequest{Report: todo.Report{
		ID: letters(255), Type: todo.Review, SourceBizID: letters(255),
		AssigneeUsername: letters(128), InitiatorUsername: letters(128),
		Title: letters(1024), Summary: letters(4096), Category: letters(128), ActionURL: letters(2048), DueAt: &last,
		ActionAppID: letters(255), Payload: strings.Repeat(" ", 16384-129) + strings.Repeat("[", 64) + "0" + strings.Repeat("]", 64),
		EventCenterRef: letters(255), SourceVersion: &highest,
	}}
	if _, err := s.Upsert(t.Context(), "erp", r); err != nil {
		t.Error(err)
	}
}

func TestClearNamesFirstFaultInOrder(t *testing.T) {
	s := newService(t, nil, defaultRules)
	beyond := int64(1 << 53)
	year10000 := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	c := todo.ClearRequest{ID: ".", ClearedAt: &year10000, ClearedBy: "\x7f", Reason: strings.Repeat("r", 1025), SourceVersion: &beyond}
	for _, step := range []repair{
		{"todo_id", `todo id must not be "."`, func() { c.ID = "a" }},
		{"result", "result must not be empty", func() { c.Result = strings.Repeat("r", 256) }},
		{"result", "result must be at most 255 characters", func() { c.Result = "approved" }},
		{"cleared_at", "cleared at must be an RFC 3339 instant of the years 1 to 9999", func() { c.ClearedAt = nil }},
		{"cleared_by", "cleared by must not contain control characters", func() { c.ClearedBy = "" }},
		{"reason", "reason must be at most 1024 characters", func() { c.Reason = "" }},
		{"source_version", "source version must be an integer from 0 to 9007199254740991", nil},
	} {
		_, err := s.Clear(t.Context(), "erp", c)
		wantInvalid(t, err, step.field, step.public)
		if step.fix != nil {
			step.fix()
		}
	}
}

func TestInvalidateNamesFirstFaultInOrder(t *testing.T) {
	s := newService(t, nil, defaultRules)
	minus := int64(-1)
	i := todo.InvalidateRequest{Reason: "\x00", SourceVersion: &minus}
	_, err := s.Invalidate(t.Context(), "erp", i)
	wantInvalid(t, err, "todo_id", "todo id must not be empty")
	i.ID = "a"
	_, err = s.Invalidate(t.Context(), "erp", i)
	wantInvalid(t, err, "reason", "reason must not contain NUL")
	i.Reason = ""
	_, err = s.Invalidate(t.Context(), "erp", i)
	wantInvalid(t, err, "source_version", "source version must be an integer from 0 to 9007199254740991")
}

func TestListNamesFirstFaultInOrder(t *testing.T) {
	s := newService(t, nil, defaultRules)
	blank, minus, zero := " ", int64(-1), int64(0)
	q := todo.ListRequest{
		AssigneeUsername: &blank, Status: -1, Type: 300, Page: &minus, Size: &zero,
		Sort: &todo.Sort{Field: -1},
	}
	const sorts = "sort must be one of modifyTime, createTime, dueAt, clearedAt, title, category, sourceSystem, id, with an optional ,asc or ,desc"
	for _, step := range []repair{
		{"assignee_username", "assignee username must not be empty", func() { q.AssigneeUsername = nil }},
		{"status", "status must be OPEN, CLEARED or INVALID", func() { q.Status = 0 }},
		{"type", "type must be HANDLE or REVIEW", func() { q.Type = 0 }},
		{"page", "page must be an integer of at least 0", func() { q.Page = nil }},
		{"size", "size must be an integer of at least 1", func() { q.Size = nil }},
		{"sort", sorts, func() { q.Sort.Field = 9 }},
		{"sort", sorts, nil},
	} {
		_, err := s.List(t.Context(), q)
		wantInvalid(t, err, step.field, step.public)
		if step.fix != nil {
			step.fix()
		}
	}
}
