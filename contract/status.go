package contract

import (
	"net/http"
	"net/url"
	"testing"
)

func statusCases() []testCase {
	return []testCase{
		settled("a validation failure is 400", status400),
		settled("an unreadable body is 400", status400Unreadable),
		settled("an unknown todoId is 404", status404Todo),
		settled("an unknown path is 404", status404Path),
		settled("a wrong method is 405 with Allow", status405),
		settled("a state conflict is 409", status409),
		settled("a body that is too large is 413", status413),
		settled("another content type is 415", status415),
		settled("a bad body comes before an unknown id", statusBodyFirst),
	}
}

func status400(t *testing.T, s *suite) {
	s.main.post(t, todosPath, newTodo().without("todoId")).fails(t, http.StatusBadRequest)
	s.main.post(t, messagesPath, newMessage().without("title")).fails(t, http.StatusBadRequest)
	s.main.get(t, unreadPath).fails(t, http.StatusBadRequest)
	s.main.get(t, todosPath+"?page=-1").fails(t, http.StatusBadRequest)
}

func status400Unreadable(t *testing.T, s *suite) {
	s.main.post(t, todosPath, `{"todoId":`).fails(t, http.StatusBadRequest)
}

func status404Todo(t *testing.T, s *suite) {
	s.main.post(t, todoPath(fresh("nothing"), "clear"), fields{"result": "done"}).fails(t, http.StatusNotFound)
	s.main.tryInvalidate(t, fresh("nothing"), nil).fails(t, http.StatusNotFound)
}

func status404Path(t *testing.T, s *suite) {
	s.main.get(t, "/todo-hub/nothing").fails(t, http.StatusNotFound)
}

func status405(t *testing.T, s *suite) {
	a := s.main.send(t, request{method: http.MethodDelete, path: todosPath})
	a.fails(t, http.StatusMethodNotAllowed)
	if a.got.Get("Allow") == "" {
		t.Errorf("no Allow header: %s", a)
	}
}

func status409(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	s.main.invalidate(t, item.ID, "withdrawn")
	s.main.post(t, todoPath(item.ID, "clear"), fields{"result": "done"}).fails(t, http.StatusConflict)
}

func status413(t *testing.T, s *suite) {
	s.main.rawBody(t, todosPath, s.set.MaxBody+1, false).fails(t, http.StatusRequestEntityTooLarge)
}

func status415(t *testing.T, s *suite) {
	s.main.send(t, request{
		method: http.MethodPost,
		path:   todosPath,
		header: http.Header{"Content-Type": {"text/plain"}},
		body:   marshal(t, newTodo()),
	}).fails(t, http.StatusUnsupportedMediaType)
}

func statusBodyFirst(t *testing.T, s *suite) {
	path := todoPath(fresh("nothing"), "clear")
	s.main.post(t, path, fields{}).failsNaming(t, "result")
	s.main.post(t, path, `{`).fails(t, http.StatusBadRequest)
	long := url.Values{"reason": {longText(1025)}}
	s.main.tryInvalidate(t, fresh("nothing"), long).failsNaming(t, "reason")
}
