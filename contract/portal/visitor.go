package portal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// visitor is somebody with a browser: it keeps cookies, and says of requests what browsers say.
type visitor struct {
	st      *stage
	http    *http.Client
	cookies map[string]string
}

// reply is what came back, read to its end.
type reply struct {
	method, path string
	status       int
	header       http.Header
	body         []byte
	set          map[string]*http.Cookie
}

func (st *stage) visitor() *visitor { return &visitor{st, st.http, map[string]string{}} }

// What browsers send with requests of a page of Hub's own, with addresses that are typed in, and with links
// on pages of other sites.
var (
	ownPage  = http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Mode": {"cors"}, "Sec-Fetch-Dest": {"empty"}}
	typed    = navigation("none")
	fromLink = navigation("cross-site")
)

func navigation(site string) http.Header {
	return http.Header{
		"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"},
		"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"},
	}
}

// with gives headers with more of them; one without values goes.
func with(header http.Header, more ...string) http.Header {
	changed := maps.Clone(header)
	for i := 0; i < len(more); i += 2 {
		changed[more[i]] = []string{more[i+1]}
	}
	return changed
}

// do sends a request with the visitor's cookies and leaves the body to the caller.
func (v *visitor) do(ctx context.Context, t *testing.T, method, path string, header http.Header, body string) *http.Response {
	t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = v.st.base + path
	}
	req, err := http.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	for name, value := range v.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := v.http.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

// send sends a request and keeps the cookies of the answer. Where logins are too many for the moment, it
// waits as it is told.
func (v *visitor) send(t *testing.T, method, path string, header http.Header, body string) reply {
	t.Helper()
	for {
		r := v.attempt(t, method, path, header, body)
		if r.status != http.StatusTooManyRequests {
			return r
		}
		seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
		if err != nil {
			t.Fatalf("Retry-After: %v: %s", err, r)
		}
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

func (v *visitor) attempt(t *testing.T, method, path string, header http.Header, body string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	resp := v.do(ctx, t, method, path, header, body)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	r := reply{method: method, path: path, status: resp.StatusCode, header: resp.Header, body: text, set: map[string]*http.Cookie{}}
	for _, c := range resp.Cookies() {
		if _, twice := r.set[c.Name]; twice {
			t.Errorf("the cookie %s is set twice: %s", c.Name, r)
		}
		r.set[c.Name] = c
		v.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	if r.status >= http.StatusInternalServerError {
		t.Errorf("a 5xx: %s", r)
	}
	return r
}

// get fetches as a page of Hub's own does.
func (v *visitor) get(t *testing.T, path string) reply {
	t.Helper()
	return v.send(t, http.MethodGet, path, ownPage, "")
}

// post posts as a page of Hub's own does.
func (v *visitor) post(t *testing.T, path string) reply {
	t.Helper()
	return v.send(t, http.MethodPost, path, ownPage, "")
}

// begin goes to the login and gives the provider's address to which Hub sends the browser.
func (v *visitor) begin(t *testing.T, query string) string {
	t.Helper()
	r := v.send(t, http.MethodGet, "/portal/login"+query, typed, "")
	if r.status != http.StatusSeeOther || r.header.Get("Location") == "" {
		t.Fatalf("the login does not begin: %s", r)
	}
	return r.header.Get("Location")
}

// back comes back from the provider.
func (v *visitor) back(t *testing.T, address string) reply {
	t.Helper()
	return v.send(t, http.MethodGet, address, fromLink, "")
}

// logIn logs in as a person, and gives the answer to the callback.
func (v *visitor) logIn(t *testing.T, username, query string) reply {
	t.Helper()
	r := v.back(t, v.st.people.Answer(t, v.begin(t, query), username))
	if r.status != http.StatusOK {
		t.Fatalf("no login: %s", r)
	}
	return r
}

// String is for messages of failing cases; it shows no query, which may hold a code.
func (r reply) String() string {
	path, _, _ := strings.Cut(r.path, "?")
	return fmt.Sprintf("%s %s -> %d %.300s", r.method, path, r.status, r.body)
}

// envelope is the answer of every path that is not a page.
type envelope struct {
	Code string          `json:"code"`
	Msg  string          `json:"msg"`
	Data json.RawMessage `json:"data"`
}

// data demands a success.
func (r reply) data(t *testing.T) json.RawMessage {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(r.body, &e); err != nil || r.status != http.StatusOK || e.Code != "0" {
		t.Fatalf("no success: %s", r)
	}
	return e.Data
}

// fails demands a failure of a status.
func (r reply) fails(t *testing.T, status int) string {
	t.Helper()
	var e envelope
	err := json.Unmarshal(r.body, &e)
	if r.status != status || err != nil || e.Code != "-1" || e.Msg == "" || !bytes.Equal(e.Data, []byte("null")) {
		t.Errorf("want a failure of %d: %s", status, r)
	}
	return e.Msg
}

// forbidden demands the 403 of a call that is not for users.
func (r reply) forbidden(t *testing.T) {
	t.Helper()
	r.fails(t, http.StatusForbidden)
	if challenge := r.header.Get("Www-Authenticate"); !strings.Contains(challenge, "insufficient_scope") {
		t.Errorf("WWW-Authenticate is %q: %s", challenge, r)
	}
}
