package allinone_test

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"example.com/hub/pkg/auth/authtest"
	"example.com/hub/services/allinone"
)

// secret is a word that is in everything of amy.
const secret = "pomegranate"

// matrix is a Hub with everything on whose providers are the test's own.
type matrix struct {
	hub            *allinone.Hub
	dir            string
	clients, users *issuer
	session        string // the value of amy's session cookie
	http           *http.Client
	conn           *grpc.ClientConn
	services       []string // of the listener for callers
	// made are the ids that Hub has made, by the names of their places in paths.
	made map[string]string
}

// newMatrix starts one, and gives amy a todo and a message.
func newMatrix(t *testing.T, environ ...string) *matrix {
	t.Helper()
	m := &matrix{dir: t.TempDir(), clients: newIssuer(t), users: newIssuer(t)}
	m.hub = startIn(t, m.dir, append([]string{
		"HUB_ISSUER_URL=" + m.clients.url, "HUB_AUDIENCE=hub", "HUB_ALLOWED_ORIGINS=https://portal.example",
		"HUB_USER_ISSUER_URL=" + m.users.url, "HUB_USER_AUDIENCE=hub-users", "HUB_LOGIN_CLIENT_ID=" + loginClient,
		"HUB_SECRETS_FILE=" + secretsFile(t), "HUB_EVENT_CENTER_URL=http://127.0.0.1:1", // where nobody listens
	}, environ...)...)
	m.conn = dial(t, m.hub)
	for _, s := range services(t, m.conn) {
		m.services = append(m.services, s.GetName())
	}
	m.http = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	good := http.Header{"Authorization": {"Bearer " + m.clients.token(nil, nil)}}
	admin := http.Header{"Authorization": {"Bearer " + m.users.token(person, administrator)}}
	for path, body := range map[string]string{
		"/admin/apps":           `{"appId":"app-1","name":"` + secret + `","entryUrl":"https://app.example/` + secret + `/","visibleFor":["user:ben"]}`,
		"/todo-hub/todos":       `{"todoId":"t-1","type":"HANDLE","sourceBizId":"1","assigneeUsername":"amy","title":"` + secret + `","category":"c","actionUrl":"/x"}`,
		"/message-hub/messages": `{"sourceMessageId":"m-1","targetUsernames":["amy"],"title":"` + secret + `","content":"c"}`,
	} {
		if code, text := m.send(t, route{method: http.MethodPost, path: path, body: body}, map[bool]http.Header{true: admin, false: good}[path == "/admin/apps"]); code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, code, text)
		}
	}
	m.made = map[string]string{}
	m.made["channelId"] = m.make(t, admin, "/admin/cms/channels", `{"name":"`+secret+`","type":"news","visibleFor":["user:ben"]}`)
	m.made["articleId"] = m.make(t, admin, "/admin/cms/articles", m.articleBody(secret))
	m.send(t, route{method: http.MethodPost, path: "/admin/cms/articles/" + m.made["articleId"] + "/publish"}, admin)
	m.session = m.logIn(t)["hub-session"]
	return m
}

// make makes a record to which Hub gives an id.
func (m *matrix) make(t *testing.T, header http.Header, path, body string) (id string) {
	t.Helper()
	code, text := m.send(t, route{method: http.MethodPost, path: path, body: body}, header)
	var made struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(text), &made); err != nil || code != http.StatusOK || made.Data.ID == "" {
		t.Fatalf("%s: %d %s", path, code, text)
	}
	return made.Data.ID
}

// articleBody is what is said of an article.
func (m *matrix) articleBody(title string) string {
	return `{"channelId":"` + m.made["channelId"] + `","title":"` + title + `","contentHtml":"<p>` + title + `</p>"}`
}

// loginClient is Hub at the provider of the users.
const loginClient = "hub-portal"

// secretsFile has a key for cookies that no other file has.
func secretsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(path, []byte(rand.Text()+rand.Text()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// logIn logs amy in and gives the cookies that she got on the way.
func (m *matrix) logIn(t *testing.T) map[string]string {
	t.Helper()
	cookies := map[string]string{}
	get := func(path string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.hub.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range cookies {
			req.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		resp, err := m.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		for _, c := range resp.Cookies() {
			if c.MaxAge >= 0 {
				cookies[c.Name] = c.Value
			}
		}
		return resp
	}
	asked, err := url.Parse(get("/portal/login").Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	m.users.nonce = asked.Query().Get("nonce")
	back := url.Values{"code": {"c"}, "state": {asked.Query().Get("state")}, "iss": {m.users.url}}
	if resp := get("/portal/callback?" + back.Encode()); resp.StatusCode != http.StatusOK || cookies["hub-session"] == "" {
		t.Fatalf("no login: %s", resp.Status)
	}
	return cookies
}

// issuer is a provider whose key the test has.
type issuer struct {
	url, nonce string
	// who logs in; nil is amy.
	who object
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	i := &issuer{url: web.URL}
	answer := func(path string, body any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(asJSON(t, body))
		})
	}
	answer("/.well-known/openid-configuration", map[string]any{
		"issuer": i.url, "jwks_uri": i.url + "/keys", "token_endpoint": i.url + "/token", "authorization_endpoint": i.url + "/authorize",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
	answer("/keys", map[string]any{"keys": authtest.OwnKeys()})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		token := authtest.SignRS256(authtest.OwnKey(), authtest.GoodHeader.With(object{"typ": "JWT"}),
			i.claims(person.With(i.who), object{"aud": loginClient, "nonce": i.nonce, "scope": nil}))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(asJSON(t, object{"id_token": token, "access_token": "x", "token_type": "Bearer"}))
	})
	return i
}

// stored is every row of every table.
func (m *matrix) stored(t *testing.T) (rows []string) {
	t.Helper()
	for _, name := range []string{"todohub.db", "messagehub.db", "portalhub.db"} {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(m.dir, name)+"?mode=ro")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		for _, table := range strings.Fields(scan(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")) {
			rows = append(rows, table, scan(t, db, "SELECT * FROM "+table))
		}
	}
	if !strings.Contains(strings.Join(rows, ""), secret) {
		t.Fatalf("amy has nothing: %q", rows)
	}
	return rows
}

// scan is the text of all rows of a query.
func scan(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text, values...)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
