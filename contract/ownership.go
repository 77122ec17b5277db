package contract

import (
	"net/http"
	"net/url"
	"testing"
)

func ownershipCases() []testCase {
	return []testCase{
		settled("an upsert of the todo of another client", ownershipUpsert),
		settled("a clear of the todo of another client", ownershipClear),
		settled("an invalidate of the todo of another client", ownershipInvalidate),
		settled("the creating client may always change its todo", ownershipCreator),
		settled("every client may read", ownershipRead),
	}
}

// decides demands a refusal that changes nothing, or the changed item, as the setting has it.
func (a answer) decides(t *testing.T, before todoItem) (after todoItem, allowed bool) {
	t.Helper()
	if a.s.set.TodoOwnership == OwnershipSource {
		a.fails(t, http.StatusForbidden)
		a.s.main.unchanged(t, before)
		return todoItem{}, false
	}
	return a.todo(t), true
}

func ownershipUpsert(t *testing.T, s *suite) {
	body := newTodo()
	before := s.main.upsert(t, body)
	item, allowed := s.other.post(t, todosPath, body.with("title", "Taken over")).decides(t, before)
	if !allowed {
		return
	}
	want := before
	want.Title, want.SourceSystem, want.Modifier, want.ModifierID = "Taken over", s.other.cred.ID, s.other.cred.ID, s.other.cred.ID
	sameTodo(t, item, want)
	if item.CreateTime != before.CreateTime {
		t.Errorf("createTime went from %s to %s", before.CreateTime, item.CreateTime)
	}
}

func ownershipClear(t *testing.T, s *suite) {
	before := s.main.upsert(t, newTodo())
	item, allowed := s.other.post(t, todoPath(before.ID, "clear"), fields{"result": "done"}).decides(t, before)
	if allowed && (item.Status != "CLEARED" || item.ModifierID != s.other.cred.ID) {
		t.Errorf("the item is %s, modified by %q", item.Status, item.ModifierID)
	}
}

func ownershipInvalidate(t *testing.T, s *suite) {
	before := s.main.upsert(t, newTodo())
	item, allowed := s.other.tryInvalidate(t, before.ID, url.Values{"reason": {"why"}}).decides(t, before)
	if allowed && (item.Status != "INVALID" || item.ModifierID != s.other.cred.ID) {
		t.Errorf("the item is %s, modified by %q", item.Status, item.ModifierID)
	}
}

func ownershipCreator(t *testing.T, s *suite) {
	body := newTodo()
	s.other.upsert(t, body)
	s.other.upsert(t, body.with("title", "Again"))
	if item := s.other.clear(t, body.id(), fields{"result": "done"}); item.Title != "Again" || item.Status != "CLEARED" {
		t.Errorf("the item is %s %q", item.Status, item.Title)
	}
	body = newTodo()
	s.other.upsert(t, body)
	if item := s.other.invalidate(t, body.id(), "void"); item.Status != "INVALID" {
		t.Errorf("the item is %s", item.Status)
	}
}

func ownershipRead(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	sameTodo(t, s.other.stored(t, item.AssigneeUsername), item)
}
