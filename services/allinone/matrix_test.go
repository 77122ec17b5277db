package allinone_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"
)

// TestNothingLetsAnyoneIn sends what is not good enough, in every way that it can be, to every route and to
// every method of gRPC. All are refused, none is a fault of Hub, and nothing is stored.
func TestNothingLetsAnyoneIn(t *testing.T) {
	t.Parallel()
	m := newMatrix(t)
	routes, methods := m.routes(t), methods()
	all := m.bad(t) // with sessions of its own
	before := m.stored(t)
	if len(all) < 120 {
		t.Errorf("%d cases, want at least 120", len(all))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, r := range routes {
			m.refusesREST(t, name, r, all[name])
		}
		for _, method := range methods {
			m.refusesGRPC(t, name, method, all[name])
		}
	}
	t.Logf("%d cases, %d routes, %d methods", len(all), len(routes), len(methods))
	if diff := cmp.Diff(before, m.stored(t)); diff != "" {
		t.Errorf("what is stored has changed:\n%s", diff)
	}
	client, admin := bearer(m.clients.token(nil, nil)), bearer(m.users.token(person, administrator))
	feed := bearer(m.clients.token(object{"scope": "directory"}, nil))
	for _, r := range routes {
		if r.body == "" {
			continue
		}
		good := client
		switch {
		case strings.HasPrefix(r.template, "/directory/"):
			good = feed
		case forAdministrators.MatchString(r.template):
			good = admin
		}
		if code, body := m.send(t, r, good); code != http.StatusOK {
			t.Errorf("a good token: %s %s answers %d %s", r.method, r.path, code, body)
		}
	}
}

// route is a request that would succeed, but for who makes it.
type route struct {
	method, path, body string
	// template is the path as the document has it.
	template string
	// open answers anyone, though never with what is amy's.
	open bool
}

// bodies are those of the routes that need one.
var bodies = map[string]string{
	"post /directory/users":       `{"users":[{"userId":"1","username":"amy","name":"changed"}]}`,
	"post /directory/departments": `{"deptId":"d","name":"changed"}`,
	"post /directory/roles":       `{"roleId":"r","name":"changed","userIds":["1"]}`,
	"post /directory/users/reconcile": `{"asOf":"` + time.Now().Add(-time.Minute).Format(time.RFC3339) + `",
		"from":"a","to":"b"}`,
	"post /todo-hub/todos": `{"todoId":"t-1","type":"HANDLE","sourceBizId":"1","assigneeUsername":"amy","title":"changed",
		"category":"c","actionUrl":"/x"}`,
	"post /todo-hub/todos/batch": `{"items":[{"todoId":"t-1","type":"HANDLE","sourceBizId":"1","assigneeUsername":"amy",
		"title":"changed","category":"c","actionUrl":"/x"}]}`,
	"post /todo-hub/todos/{todoId}/clear":       `{"result":"changed"}`,
	"post /admin/todo-hub/todos/{todoId}/clear": `{"result":"changed"}`,
	"post /portal/admin/todos/{todoId}/clear":   `{"result":"changed"}`,
	"post /message-hub/messages":                `{"sourceMessageId":"m-2","targetUsernames":["amy"],"title":"changed","content":"c"}`,
	"post /admin/apps":                          `{"appId":"app-2","name":"changed","entryUrl":"https://changed.example/"}`,
	"put /admin/apps/{appId}":                   `{"name":"changed","entryUrl":"https://changed.example/"}`,

	"post /admin/cms/channels":                   channelBody,
	"put /admin/cms/channels/{channelId}":        channelBody,
	"post /portal/admin/cms/channels":            channelBody,
	"put /portal/admin/cms/channels/{channelId}": channelBody,
	"post /portal/admin/files/upload":            fileBody,
}

const (
	channelBody = `{"name":"changed","type":"notice"}`
	// fileBody is the one that is no JSON.
	fileBody = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.pdf\"\r\n\r\n%PDF-1.4\r\n--x--\r\n"
)

// openPaths need nothing, and pages answer who has no session with a page, or a step to the login.
var (
	openPaths = []string{
		"/api/login/oauth/token", "/.well-known/", "/openapi.yaml", "/demo/",
		"/portal/login", "/portal/callback", "/portal/style.css", "/portal/icon.svg", "/apps/jwks.json",
	}
	pages = []string{"/portal/", "/docs", "/docs/start.js", "/docs/style.css", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"}
)

var (
	documentPath   = regexp.MustCompile(`^  (/\S*):$`)
	documentMethod = regexp.MustCompile(`^    (get|post|put|patch|delete):$`)
)

// moving are the bodies of routes that need the time, amy's inbox and the ids of others.
func (m *matrix) moving(t *testing.T) map[string]string {
	t.Helper()
	_, page := m.send(t, route{method: http.MethodGet, path: "/message-hub/inbox?cursor=&username=amy"}, bearer(m.clients.token(nil, nil)))
	watermark := regexp.MustCompile(`"watermark":"[^"]+"`).FindString(page)
	if watermark == "" {
		t.Fatalf("no watermark in %s", page)
	}
	article := m.articleBody("changed")
	return map[string]string{
		"post /admin/cms/articles":                   article,
		"put /admin/cms/articles/{articleId}":        article,
		"post /portal/admin/cms/articles":            article,
		"put /portal/admin/cms/articles/{articleId}": article,

		"post /todo-hub/todos/reconcile":   fmt.Sprintf(`{"asOf":%q,"action":"clear"}`, time.Now().UTC().Format(time.RFC3339)),
		"post /message-hub/inbox/read-all": `{"username":"amy","upTo"` + strings.TrimPrefix(watermark, `"watermark"`) + `}`,
	}
}

// routes are those of the document that Hub serves, with what they need to be about amy, and the pages.
func (m *matrix) routes(t *testing.T) []route {
	t.Helper()
	code, document := m.send(t, route{method: http.MethodGet, path: "/openapi.yaml"}, nil)
	if code != http.StatusOK {
		t.Fatalf("the document: %d %s", code, document)
	}
	document, _, _ = strings.Cut(document, "\ncomponents:")
	var all []route
	path, moving := "", m.moving(t)
	for line := range strings.SplitSeq(document, "\n") {
		if found := documentPath.FindStringSubmatch(line); found != nil {
			path = found[1]
		}
		if found := documentMethod.FindStringSubmatch(line); found != nil {
			all = append(all, route{
				method: strings.ToUpper(found[1]), template: path,
				path: strings.NewReplacer("{todoId}", "t-1", "{id}", "m-1", "{appId}", "app-1",
					"{channelId}", m.made["channelId"], "{articleId}", m.made["articleId"]).Replace(path) + "?username=amy&user=amy&assigneeUsername=amy",
				body: bodies[found[1]+" "+path] + moving[found[1]+" "+path],
				open: slices.ContainsFunc(openPaths, func(p string) bool { return strings.HasPrefix(path, p) }),
			})
		}
	}
	for _, page := range pages {
		all = append(all, route{method: http.MethodGet, path: page, open: true})
	}
	if len(all) < 12 {
		t.Fatalf("the document has %d routes: %v", len(all), all)
	}
	return all
}

// methods are those of every service that Hub has anywhere.
func methods() (all []string) {
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				if strings.HasPrefix(string(service.FullName()), "hub.") {
					all = append(all, fmt.Sprintf("/%s/%s", service.FullName(), service.Methods().Get(j).Name()))
				}
			}
		}
		return true
	})
	return all
}

func (m *matrix) send(t *testing.T, r route, header http.Header) (code int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, m.hub.URL()+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	switch r.body {
	case "":
	case fileBody:
		req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	default:
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := m.http.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, "a stream" // it has no end
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (m *matrix) refusesREST(t *testing.T, name string, r route, header http.Header) {
	t.Helper()
	code, body := m.send(t, r, header)
	refused := code == http.StatusUnauthorized || code == http.StatusForbidden
	if code >= http.StatusInternalServerError || !refused && !r.open || strings.Contains(body, secret) {
		t.Errorf("%s: %s %s answers %d %s", name, r.method, r.path, code, body)
	}
}

func (m *matrix) refusesGRPC(t *testing.T, name, method string, header http.Header) {
	t.Helper()
	md := metadata.MD{}
	for key, values := range header {
		md[strings.ToLower(key)] = values
	}
	err := m.conn.Invoke(metadata.NewOutgoingContext(t.Context(), md), method, &emptypb.Empty{}, &emptypb.Empty{})
	switch code := status.Code(err); {
	case code == codes.Unauthenticated, code == codes.PermissionDenied:
	case code == codes.Unimplemented && !m.serves(method):
	default:
		t.Errorf("%s: %s: %v", name, method, err)
	}
}

// serves tells whether the listener for callers has the service of a method.
func (m *matrix) serves(method string) bool {
	return slices.ContainsFunc(m.services, func(s string) bool { return strings.HasPrefix(method, "/"+s+"/") })
}
