package contract

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func methodCases() []testCase {
	return []testCase{
		settled("another method is 405 and Allow names those of the path", eachRoute(methodsRefused)),
		settled("HEAD is 405", eachRoute(methodsHead)),
		settled("a method override is ignored", methodsOverride),
		settled("a form post is not taken for a GET", methodsForm),
		settled("gRPC metadata in headers is ignored", methodsMetadata),
		settled("a gRPC deadline in a header is ignored", methodsTimeout),
	}
}

func methodsRefused(t *testing.T, s *suite, r route) {
	for _, method := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace,
		"PROPFIND", "FOO", "get", "QUERY",
	} {
		if slices.Contains(r.allowed, method) {
			continue
		}
		a := s.main.send(t, request{method: method, path: r.path})
		a.fails(t, http.StatusMethodNotAllowed)
		a.allows(t, r.allowed)
	}
}

// allows compares the Allow header with the methods of the path.
func (a answer) allows(t *testing.T, want []string) {
	t.Helper()
	var got []string
	for _, method := range strings.Split(a.got.Get("Allow"), ",") {
		got = append(got, strings.TrimSpace(method))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("Allow is %q, want %q: %s", got, want, a)
	}
}

func methodsHead(t *testing.T, s *suite, r route) {
	a := s.main.send(t, request{method: http.MethodHead, path: r.path})
	a.fails(t, http.StatusMethodNotAllowed)
	a.allows(t, r.allowed)
}

func methodsOverride(t *testing.T, s *suite) {
	body := newTodo()
	header := http.Header{"X-Http-Method-Override": {"GET"}, "X-Http-Method": {"GET"}, "X-Method-Override": {"DELETE"}}
	a := s.main.send(t, request{method: http.MethodPost, path: todosPath, header: header, body: marshal(t, body)})
	if item := a.todo(t); item.ID != body.id() {
		t.Errorf("the upsert stored %q, want %q", item.ID, body.id())
	}
	for _, path := range []string{inboxPath + "?username=x", unreadPath + "?username=x"} {
		s.main.send(t, request{method: http.MethodPost, path: path, header: header}).fails(t, http.StatusMethodNotAllowed)
	}
	s.main.send(t, request{method: http.MethodPut, path: todosPath, header: http.Header{"X-Http-Method-Override": {"POST"}}, body: marshal(t, newTodo())}).
		fails(t, http.StatusMethodNotAllowed)
}

func methodsForm(t *testing.T, s *suite) {
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "X-Http-Method-Override": {"GET"}}
	for _, path := range []string{inboxPath, unreadPath, streamPath} {
		s.main.send(t, request{method: http.MethodPost, path: path, header: form, body: []byte("username=x&user=x")}).
			fails(t, http.StatusMethodNotAllowed)
	}
	s.main.send(t, request{method: http.MethodPost, path: todosPath, header: form, body: []byte("assigneeUsername=x")}).
		fails(t, http.StatusUnsupportedMediaType)
}

// A gateway that forwards such headers would let anyone speak for another client. Which of two
// values wins may be a matter of chance, so each is tried often.
func methodsMetadata(t *testing.T, s *suite) {
	main, other := "Bearer "+s.main.bearer(t), "Bearer "+s.other.bearer(t)
	limited := "Bearer " + s.limited.bearer(t)
	for range 20 {
		smuggled := http.Header{
			"Grpc-Metadata-Authorization": {other},
			"Grpc-Metadata-X-Client-Id":   {s.other.cred.ID},
			"Grpc-Metadata-Client-Id":     {s.other.cred.ID},
			"X-Client-Id":                 {s.other.cred.ID},
			"Grpc-Authorization":          {other},
		}
		a := s.main.send(t, request{method: http.MethodPost, path: todosPath, header: smuggled, body: marshal(t, newTodo())})
		if item := a.todo(t); item.SourceSystem != s.main.cred.ID || item.CreatorID != s.main.cred.ID {
			t.Fatalf("the item is of %q, created by %q", item.SourceSystem, item.CreatorID)
		}
		smuggled["Authorization"] = []string{limited}
		smuggled["Grpc-Metadata-Authorization"] = []string{main}
		s.send(t, request{method: http.MethodPost, path: todosPath, header: smuggled, body: marshal(t, newTodo())}).fails(t, http.StatusForbidden)
		delete(smuggled, "Authorization")
		s.send(t, request{method: http.MethodPost, path: todosPath, header: smuggled, body: marshal(t, newTodo())}).fails(t, http.StatusUnauthorized)
	}
}

func methodsTimeout(t *testing.T, s *suite) {
	for _, value := range []string{"1n", "0n", "99999999H", "nonsense", "-1S"} {
		header := http.Header{"Grpc-Timeout": {value}}
		s.main.send(t, request{method: http.MethodPost, path: todosPath, header: header, body: marshal(t, newTodo())}).todo(t)
	}
}
