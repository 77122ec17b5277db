package portal

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/cursor"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/rest"
)

// lists are the lists of todos of a portal.
var lists = map[string]struct{ status, kind string }{
	"toHandle": {"OPEN", "HANDLE"},
	"toRead":   {"OPEN", "REVIEW"},
	"done":     {"CLEARED", "HANDLE"},
	"read":     {"CLEARED", "REVIEW"},
}

var errList = errors.New("list must be toHandle, toRead, done or read")

// homeParts are what the first page of a portal shows. What nothing serves yet is null there.
var homeParts = []rest.Part{
	{Name: "counts", Path: "/counts"},
	{Name: "todos", Path: "/portal/todos", Query: "size=5"},
	{Name: "messages", Path: "/portal/messages", Query: "size=5"},
	{Name: "apps", Path: "/portal/apps"},
	{Name: "news", Path: "/cms/feeds", Query: "type=news&size=5"},
	{Name: "notices", Path: "/cms/feeds", Query: "type=notice&size=5"},
}

// API lists the endpoints with which a portal shows a user what is hers. They need no hub but those of the
// endpoints that they stand for.
func API() rest.Area {
	endpoint := func(method, path string, e rest.Endpoint) rest.Endpoint {
		e.Method, e.Path, e.Rule = method, path, auth.Rule{User: true}
		return e
	}
	alias := func(path string, query func(*rest.Request) (url.Values, error)) rest.Endpoint {
		return rest.Endpoint{Alias: &rest.Alias{Path: path, Query: query}}
	}
	return rest.Area{Endpoints: []rest.Endpoint{
		endpoint(http.MethodGet, "/portal/home", rest.Endpoint{Parts: homeParts}),
		endpoint(http.MethodGet, "/portal/todos", alias("/todo-hub/todos", todosQuery)),
		endpoint(http.MethodGet, "/portal/messages", alias("/message-hub/inbox", messagesQuery)),
		endpoint(http.MethodPost, "/portal/messages/{id}/read", alias("/message-hub/messages/{id}/read", nil)),
		endpoint(http.MethodPost, "/portal/messages/read-all", alias("/message-hub/inbox/read-all", nil)),
		endpoint(http.MethodGet, "/portal/admin/permissions", rest.Endpoint{Serve: servePermissions}),
	}}
}

func todosQuery(r *rest.Request) (url.Values, error) {
	list, ok := lists[cmp.Or(r.Text("list"), "toHandle")]
	if !ok {
		return nil, errList
	}
	return walk(r, url.Values{"status": {list.status}, "type": {list.kind}})
}

func messagesQuery(r *rest.Request) (url.Values, error) {
	return walk(r, url.Values{"status": {r.Text("status")}})
}

// walk adds what every list with a cursor has. These lists know no other pages.
func walk(r *rest.Request, query url.Values) (url.Values, error) {
	token := r.Text("cursor")
	if token != "" && !strings.HasPrefix(token, cursor.Prefix) {
		return nil, cursor.ErrInvalid
	}
	query.Set("cursor", token)
	query.Set("size", r.Text("size"))
	return query, nil
}

// servePermissions tells a user what she may do beyond her own things.
func servePermissions(w http.ResponseWriter, r *http.Request) {
	caller, _ := auth.From(r.Context())
	front.Succeed(w, sorted(caller.Permissions))
}
