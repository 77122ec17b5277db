package allinone_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	http           *http.Client
	conn           *grpc.ClientConn
	services       []string // of the listener for callers
}

// newMatrix starts one, and gives amy a todo and a message.
func newMatrix(t *testing.T, environ ...string) *matrix {
	t.Helper()
	m := &matrix{dir: t.TempDir(), clients: newIssuer(t), users: newIssuer(t)}
	m.hub = startIn(t, m.dir, append([]string{
		"HUB_ISSUER_URL=" + m.clients.url, "HUB_AUDIENCE=hub",
		"HUB_USER_ISSUER_URL=" + m.users.url, "HUB_USER_AUDIENCE=hub-users", "HUB_LOGIN_CLIENT_ID=portal",
	}, environ...)...)
	m.conn = dial(t, m.hub)
	for _, s := range services(t, m.conn) {
		m.services = append(m.services, s.GetName())
	}
	m.http = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	good := http.Header{"Authorization": {"Bearer " + m.clients.token(nil, nil)}}
	for path, body := range map[string]string{
		"/todo-hub/todos":       `{"todoId":"t-1","type":"HANDLE","sourceBizId":"1","assigneeUsername":"amy","title":"` + secret + `","category":"c","actionUrl":"/x"}`,
		"/message-hub/messages": `{"sourceMessageId":"m-1","targetUsernames":["amy"],"title":"` + secret + `","content":"c"}`,
	} {
		if code, text := m.send(t, route{method: http.MethodPost, path: path, body: body}, good); code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, code, text)
		}
	}
	return m
}

// issuer is a provider whose key the test has.
type issuer struct{ url string }

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	i := &issuer{web.URL}
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
	return i
}

// stored is every row of every table.
func (m *matrix) stored(t *testing.T) (rows []string) {
	t.Helper()
	for _, name := range []string{"todohub.db", "messagehub.db"} {
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
