package contract

import (
	"net/http"
	"testing"
)

func inputCases() []testCase {
	return []testCase{
		stated("a missing todoId says that the todo id must not be empty", inputTodoID),
		stated("only the first failing field is named in the order of the tables", inputOrder),
		stated("a missing required field is refused", eachBody(inputMissing)),
		settled("null and empty and blank count as missing", eachBody(inputEmpty)),
		settled("messages follow the pattern of the contract", eachBody(inputMessages)),
		settled("a wrong JSON type is refused", eachBody(inputTypes)),
		settled("a wrong JSON type comes before a missing field", inputTypeFirst),
		settled("enums are the exact words and never numbers", inputEnums),
		settled("targets and actions of a wrong type are refused", inputPushTypes),
		settled("a refused upsert of an unknown id stores nothing", inputNothingStored),
	}
}

func inputTodoID(t *testing.T, s *suite) {
	for _, body := range []fields{newTodo().without("todoId"), {}, newTodo().with("todoId", "")} {
		if msg := s.main.post(t, todosPath, body).fails(t, http.StatusBadRequest); msg != "todo id must not be empty" {
			t.Errorf("the message is %q", msg)
		}
	}
}

// inputOrder fills in one required field after the other; each time the next one is at fault.
func inputOrder(t *testing.T, s *suite) {
	for _, step := range []struct {
		path  string
		order []string
		full  fields
	}{
		{todosPath, []string{"todoId", "type", "sourceBizId", "assigneeUsername", "title", "category", "actionUrl"}, newTodo()},
		{messagesPath, []string{"sourceMessageId", "targetUsernames", "title", "content"}, newMessage()},
	} {
		body := fields{}
		for _, name := range step.order {
			msg := s.main.post(t, step.path, body).fails(t, http.StatusBadRequest)
			if want := words(name) + " must not be empty"; msg != want {
				t.Errorf("the message is %q, want %q", msg, want)
			}
			body = body.with(name, step.full[name])
		}
		s.main.post(t, step.path, body).ok(t)
	}
	// A field that is too long is at fault before one that is missing further down.
	body := newTodo().with("title", longText(1025)).without("category")
	s.main.post(t, todosPath, body).failsNaming(t, "title")
	body = newTodo().with("dueAt", "tomorrow").without("category")
	s.main.post(t, todosPath, body).failsNaming(t, "category")
	body = newTodo().with("type", "nonsense").without("title")
	s.main.post(t, todosPath, body).failsNaming(t, "type")
}

func inputMissing(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		if f.required {
			b.refuses(t, s, b.valid.without(f.name), f.name)
		}
	}
}

func inputEmpty(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		if !f.required {
			continue
		}
		for _, value := range []any{nil, "", " ", "\t\n", "\u3000\u00a0"} {
			b.refuses(t, s, b.valid.with(f.name, value), f.name)
			msg := s.main.post(t, b.path, b.valid.with(f.name, value)).fails(t, http.StatusBadRequest)
			if want := words(f.name) + " must not be empty"; msg != want {
				t.Errorf("the message is %q, want %q", msg, want)
			}
		}
	}
}

func inputMessages(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		if !f.required {
			continue
		}
		msg := s.main.post(t, b.path, b.valid.without(f.name)).fails(t, http.StatusBadRequest)
		if want := words(f.name) + " must not be empty"; msg != want {
			t.Errorf("the message is %q, want %q", msg, want)
		}
	}
}

func inputTypes(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		for _, value := range []any{5, 0, -1.5, true, false, []any{}, []any{"HANDLE"}, fields{}, fields{"value": "x"}} {
			b.refuses(t, s, b.valid.with(f.name, value), f.name)
		}
	}
}

func inputTypeFirst(t *testing.T, s *suite) {
	s.main.post(t, todosPath, newTodo().without("todoId").with("summary", 5)).failsNaming(t, "summary")
	s.main.post(t, messagesPath, newMessage().without("sourceMessageId").with("content", true)).failsNaming(t, "content")
	s.main.post(t, messagesPath, newMessage().without("title").with("targetUsernames", "ann")).failsNaming(t, "targetUsernames")
}

func inputEnums(t *testing.T, s *suite) {
	b := s.upsertBody(t)
	for _, value := range []any{"handle", "Handle", "HANDLE ", " HANDLE", "TODO_TYPE_HANDLE", "OPEN", "0", "1", "2", 0, 1, 2, true, []string{"HANDLE"}} {
		b.refuses(t, s, b.valid.with("type", value), "type")
	}
	msg := s.main.post(t, b.path, b.valid.with("type", "NONSENSE")).fails(t, http.StatusBadRequest)
	for _, word := range []string{"HANDLE", "REVIEW"} {
		if !names(msg, word) {
			t.Errorf("the message does not name %s: %q", word, msg)
		}
	}
	b.untouched(t)
}

func inputPushTypes(t *testing.T, s *suite) {
	b := s.pushBody(t)
	for _, value := range []any{"ann", 5, true, fields{}, fields{"0": "ann"}, []any{5}, []any{[]any{"ann"}}, []any{fields{}}, []any{nil}, []any{""}} {
		b.refuses(t, s, b.valid.with("targetUsernames", value), "targetUsernames")
	}
	for _, value := range []any{"x", 5, true, fields{}, []any{"x"}, []any{5}, []any{[]any{}}} {
		b.refuses(t, s, b.valid.with("actions", value), "actions")
	}
	for name, limit := range map[string]int{"label": 128, "url": 2048} {
		for _, value := range []any{5, true, fields{}, []any{}, "a\x00b", longText(limit + 1)} {
			b.refuses(t, s, b.valid.with("actions", []fields{{"label": "fine"}, {name: value}}), name)
		}
	}
	b.untouched(t)
}

func inputNothingStored(t *testing.T, s *suite) {
	body := newTodo()
	s.main.post(t, todosPath, body.without("actionUrl")).fails(t, http.StatusBadRequest)
	s.main.post(t, todosPath, body.with("dueAt", "tomorrow")).fails(t, http.StatusBadRequest)
	s.main.post(t, todoPath(body.id(), "clear"), fields{"result": "done"}).fails(t, http.StatusNotFound)
}
