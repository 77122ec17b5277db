package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func forwardHeaderCases() []forwardCase {
	return []forwardCase{
		{"the event center is told which client calls", forwardsTheClient},
		{"the event center is told where the caller found Hub", forwardsTheAddress},
		{"a request id and a trace are handed on", forwardsIDs},
		{"neither token nor cookies of a caller are handed on and Hub comes with a token of its own", forwardsNoSecrets},
		{"headers of one connection are not handed on", forwardsNoHops},
		{"other headers are handed on as they are", forwardsHeaders},
		{"what only Hub may tell does not come back", forwardsNoClaims},
		{"other headers come back as they are", forwardsAnswerHeaders},
		{"trailers come back but for such headers", forwardsTrailers},
	}
}

// ask sends a request with lines of its own and gives what the event center got of it.
func (f *forwarding) ask(t *testing.T, lines ...string) seen {
	t.Helper()
	path, next := f.center.record(t)
	byCenter(t, f.raw(t, "GET "+path+" HTTP/1.1", lines, ""), http.StatusOK)
	return next()
}

// spelled gives the lines of a header as programs behind a gateway of any kind may read the same name.
func spelled(name, value string) []string {
	var lines []string
	for _, spelling := range []string{
		name, strings.ToLower(name), strings.ToUpper(name), strings.ReplaceAll(name, "-", "_"), strings.ToLower(strings.ReplaceAll(name, "-", "_")),
		strings.Replace(name, "-", "_", 1), strings.ReplaceAll(name, "-", "."), strings.ReplaceAll(name, "-", "~"),
	} {
		lines = append(lines, spelling+": "+value, spelling+":"+value)
	}
	return lines
}

// claimed finds what is left of a value in a header, apart from the names that may have it.
func claimed(header http.Header, value string) (names []string) {
	for name, values := range header {
		if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, value) }) {
			names = append(names, name)
		}
	}
	return names
}

func forwardsTheClient(t *testing.T, f *forwarding) {
	honest := f.ask(t).header.Values("Hub-Client-Id")
	if len(honest) != 1 || honest[0] == "" {
		t.Fatalf("Hub-Client-Id is %q", honest)
	}
	for _, lines := range [][]string{
		spelled("Hub-Client-Id", "smuggled"), spelled("Hub-Whatever", "smuggled"),
		{"Connection: Hub-Client-Id"},
		{"Connection: hub_client_id, X-Request-Id, close", "Hub-Client-Id: smuggled"},
	} {
		got := f.ask(t, lines...).header
		want(t, strings.Join(lines, " "), strings.Join(got.Values("Hub-Client-Id"), ","), honest[0])
		if names := claimed(got, "smuggled"); len(names) > 0 {
			t.Errorf("%q: the event center got %q", lines, names)
		}
	}
}

func forwardsTheAddress(t *testing.T, f *forwarding) {
	honest := f.ask(t)
	u, err := url.Parse(f.center.url)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "the host", honest.host, u.Host)
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v := honest.header.Values(name); len(v) != 1 || v[0] == "" {
			t.Errorf("%s is %q", name, v)
		}
		for _, line := range spelled(name, "smuggled") {
			got := f.ask(t, line).header
			want(t, line, strings.Join(got.Values(name), ","), honest.header.Get(name))
			if names := claimed(got, "smuggled"); len(names) > 0 {
				t.Errorf("%q: the event center got %q", line, names)
			}
		}
	}
	for _, name := range []string{"Forwarded", "X-Real-IP", "X-Original-URL", "X-Original-Host", "X-Rewrite-URL", "X-Forwarded-Port", "X-Forwarded-Prefix"} {
		if names := claimed(f.ask(t, spelled(name, "smuggled")...).header, "smuggled"); len(names) > 0 {
			t.Errorf("the event center got %q", names)
		}
	}
}

func forwardsIDs(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	r := f.raw(t, "GET "+path+" HTTP/1.1", []string{"X-Request-Id: case-1", "X_Request_Id: smuggled", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "")
	byCenter(t, r, http.StatusOK)
	got := next().header
	want(t, "the id", strings.Join(got.Values("X-Request-Id"), ","), "case-1")
	want(t, "the id of the answer", strings.Join(r.header.Values("X-Request-Id"), ","), "case-1")
	if names := claimed(got, "smuggled"); len(names) > 0 {
		t.Errorf("the event center got %q", names)
	}
	if parent := got.Get("traceparent"); !strings.HasPrefix(parent, "00-0af7651916cd43dd8448eb211c80319c-") {
		t.Errorf("the trace is %q", parent)
	}
}

func forwardsNoSecrets(t *testing.T, f *forwarding) {
	token := strings.TrimPrefix(f.bearer, "Bearer ")
	lines := append(spelled("Cookie", "hub-session="+token), "Proxy-Authorization: Bearer "+token, "X-Forwarded-Access-Token: "+token, "Hub-Token: "+token)
	for _, line := range spelled("Authorization", "Bearer "+token) {
		if name, _, _ := strings.Cut(line, ":"); !strings.EqualFold(name, "Authorization") {
			lines = append(lines, line)
		}
	}
	got := f.ask(t, lines...).header
	if names := claimed(got, token); len(names) > 0 {
		t.Errorf("the event center got the token in %q", names)
	}
	var own []string
	if f.center.token != "" {
		own = []string{"Bearer " + f.center.token}
	}
	want(t, "Authorization", strings.Join(got.Values("Authorization"), ","), strings.Join(own, ","))
}

func forwardsNoHops(t *testing.T, f *forwarding) {
	lines := []string{"Connection: X-Mine, x_mine_too, close", "X-Mine: hop", "X-Mine-Too: hop", "X_Mine: hop"}
	for _, name := range []string{"Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "TE", "Upgrade", "HTTP2-Settings"} {
		lines = append(lines, spelled(name, "hop")...)
	}
	lines = append(lines, "TE: trailers", "Transfer_Encoding: hop", "Content_Length: hop", "Trailer_: kept", "transfer.encoding: hop", "Host_: kept")
	got := f.ask(t, lines...).header
	if names := claimed(got, "hop"); len(names) > 0 {
		t.Errorf("the event center got %q", names)
	}
	if te := got.Values("Te"); len(te) > 0 {
		t.Errorf("TE is %q", te)
	}
}

func forwardsHeaders(t *testing.T, f *forwarding) {
	got := f.ask(t, "X-Custom: one", "X-Custom: two, three", "Accept: a/b;q=0.5", "User-Agent: a case", "Accept-Encoding: br", "Content-Type: text/x", "If-None-Match: \"1\"", "X-Hub-Signature: s", "Origin: https://x.example", "Last-Event-ID: 7", "Range: bytes=0-1").header
	for name, value := range map[string]string{
		"X-Custom": "one|two, three", "Accept": "a/b;q=0.5", "User-Agent": "a case", "Accept-Encoding": "br", "Content-Type": "text/x", "If-None-Match": "\"1\"",
		"X-Hub-Signature": "s", "Origin": "https://x.example", "Last-Event-Id": "7", "Range": "bytes=0-1",
	} {
		want(t, name, strings.Join(got.Values(name), "|"), value)
	}
	if bare := f.ask(t).header; bare.Get("User-Agent") != "" || bare.Get("Accept-Encoding") != "" {
		t.Errorf("Hub adds %v", bare)
	}
}

// claims are headers that only Hub may send to a browser.
var claims = []string{
	"Set-Cookie", "Clear-Site-Data", "Service-Worker-Allowed", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
	"Access-Control-Expose-Headers", "Hub-Created", "Hub-Origin", "Hub-Anything", "Keep-Alive", "Proxy-Authenticate", "Upgrade", "Set_Cookie", "hub_origin",
}

func forwardsNoClaims(t *testing.T, f *forwarding) {
	path := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range append([]string{"Content-Security-Policy", "X-Content-Type-Options", "X-Request-Id"}, claims...) {
			w.Header()[name] = []string{"claimed"}
		}
	})
	r := f.send(t, http.MethodGet, path, nil, "")
	byCenter(t, r, http.StatusOK)
	if names := claimed(r.header, "claimed"); len(names) > 0 {
		t.Errorf("there came %q", names)
	}
	want(t, "the policy", strings.Join(r.header.Values("Content-Security-Policy"), "|"), "sandbox")
	want(t, "the sniffing", strings.Join(r.header.Values("X-Content-Type-Options"), "|"), "nosniff")
}

func forwardsAnswerHeaders(t *testing.T, f *forwarding) {
	sent := http.Header{
		"Cache-Control": {"max-age=60"}, "Etag": {`W/"1"`}, "X-Custom": {"one", "two"}, "Content-Type": {"text/html"}, "Www-Authenticate": {"Basic realm=x"},
		"Retry-After": {"7"}, "Content-Encoding": {"x-own"}, "Content-Disposition": {"attachment"}, "Vary": {"Accept"}, "Link": {"</x>; rel=next"}, "Server": {"center"},
	}
	path := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range sent {
			w.Header()[name] = values
		}
	})
	r := f.send(t, http.MethodGet, path, nil, "")
	byCenter(t, r, http.StatusOK)
	for name, values := range sent {
		want(t, name, strings.Join(r.header.Values(name), "|"), strings.Join(values, "|"))
	}
}

func forwardsTrailers(t *testing.T, f *forwarding) {
	path := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum, Set-Cookie, Hub-Created")
		_, _ = w.Write([]byte("body"))
		for _, name := range []string{"X-Sum", "Set-Cookie", "Hub-Created", http.TrailerPrefix + "X-Late", http.TrailerPrefix + "Hub-Late"} {
			w.Header().Set(name, "told")
		}
	})
	resp := f.begin(t, http.MethodGet, path, nil, nil)
	want(t, "the body", contentOf(resp.Body), "body")
	names := claimed(resp.Trailer, "told")
	slices.Sort(names)
	want(t, "the trailers", strings.Join(names, " "), "X-Late X-Sum")
	want(t, "headers", len(claimed(resp.Header, "told")), 0)
}
