package contract

import (
	"net/http"
	"testing"
)

// route is one confirmed call of the contract, complete enough to succeed.
type route struct {
	name   string
	method string
	path   string
	body   []byte
	// allowed are all methods of the path.
	allowed []string
}

// routes are all calls of the contract but the token endpoint. Nothing that they name is stored.
func (s *suite) routes() []route {
	todo, user := fresh("todo"), fresh("user")
	get, post := http.MethodGet, http.MethodPost
	body := []byte(`{"todoId":"` + todo + `","type":"HANDLE","sourceBizId":"1","assigneeUsername":"` + user +
		`","title":"t","category":"c","actionUrl":"/u"}`)
	message := []byte(`{"sourceMessageId":"` + fresh("msg") + `","targetUsernames":["` + user + `"],"title":"t","content":"c"}`)
	return []route{
		{"upsert", post, todosPath, body, []string{get, post}},
		{"todos", get, todosPath + "?assigneeUsername=" + user, nil, []string{get, post}},
		{"clear", post, todoPath(todo, "clear"), []byte(`{"result":"done"}`), []string{post}},
		{"invalidate", post, todoPath(todo, "invalidate"), nil, []string{post}},
		{"push", post, messagesPath, message, []string{post}},
		{"inbox", get, inboxPath + "?username=" + user, nil, []string{get}},
		{"unread", get, unreadPath + "?username=" + user, nil, []string{get}},
		{"read", post, readPath(fresh("msg"), "username", user), nil, []string{post}},
		{"stream", get, streamPath + "?user=" + user, nil, []string{get}},
	}
}

// request is the call with other headers.
func (r route) request(header http.Header) request {
	return request{method: r.method, path: r.path, header: header, body: r.body}
}

// eachRoute runs a check against every call of the contract.
func eachRoute(check func(*testing.T, *suite, route)) func(*testing.T, *suite) {
	return func(t *testing.T, s *suite) {
		for _, r := range s.routes() {
			t.Run(r.name, func(t *testing.T) { check(t, s, r) })
		}
	}
}
