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
	m := newMatrix(t)
	routes, methods := m.routes(t), methods()
	before := m.stored(t)
	all := m.bad(t)
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
}

// route is a request that would succeed, but for who makes it.
type route struct {
	method, path, body string
	// open answers anyone, though never with what is amy's.
	open bool
}

// bodies are those of the routes that need one.
var bodies = map[string]string{
	"post /todo-hub/todos": `{"todoId":"t-1","type":"HANDLE","sourceBizId":"1","assigneeUsername":"amy","title":"changed",
		"category":"c","actionUrl":"/x"}`,
	"post /todo-hub/todos/{todoId}/clear": `{"result":"changed"}`,
	"post /message-hub/messages":          `{"sourceMessageId":"m-2","targetUsernames":["amy"],"title":"changed","content":"c"}`,
}

// openPaths need nothing, and pages answer who has no session with a page, or a step to the login.
var (
	openPaths = []string{
		"/api/login/oauth/token", "/.well-known/", "/openapi.yaml", "/demo/oidc/",
		"/portal/login", "/portal/callback", "/portal/style.css", "/portal/icon.svg",
	}
	pages = []string{"/portal/"}
)

var (
	documentPath   = regexp.MustCompile(`^  (/\S*):$`)
	documentMethod = regexp.MustCompile(`^    (get|post|put|patch|delete):$`)
)

// routes are those of the document that Hub serves, with what they need to be about amy, and the pages.
func (m *matrix) routes(t *testing.T) []route {
	t.Helper()
	code, document := m.send(t, route{method: http.MethodGet, path: "/openapi.yaml"}, nil)
	if code != http.StatusOK {
		t.Fatalf("the document: %d %s", code, document)
	}
	document, _, _ = strings.Cut(document, "\ncomponents:")
	var all []route
	path := ""
	for line := range strings.SplitSeq(document, "\n") {
		if found := documentPath.FindStringSubmatch(line); found != nil {
			path = found[1]
		}
		if found := documentMethod.FindStringSubmatch(line); found != nil {
			all = append(all, route{
				method: strings.ToUpper(found[1]),
				path:   strings.NewReplacer("{todoId}", "t-1", "{id}", "m-1").Replace(path) + "?username=amy&user=amy&assigneeUsername=amy",
				body:   bodies[found[1]+" "+path],
				open:   slices.ContainsFunc(openPaths, func(p string) bool { return strings.HasPrefix(path, p) }),
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
	if r.body != "" {
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
