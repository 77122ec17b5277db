package allinone_test

import (
	"context"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/hub/pkg/auth/authtest"
)

// Receiver tells an application who comes by a jump.
type Receiver struct {
	Hub   string      // the address of Hub, without a slash at the end
	AppID string      // of the application at Hub
	Keys  oidc.KeySet // oidc.NewRemoteKeySet(ctx, Hub+"/apps/jwks.json")

	used sync.Map // the jti of each ticket that came; keep them for a minute, and for all replicas
}

// User gives the username of a ticket, once.
func (r *Receiver) User(ctx context.Context, ticket string) (string, error) {
	var header struct{ Alg, Typ string }
	first, _, _ := strings.Cut(ticket, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil || json.Unmarshal(text, &header) != nil || header.Alg != "RS256" || header.Typ != "hub-jump+jwt" {
		return "", errors.New("this is no ticket")
	}
	payload, err := r.Keys.VerifySignature(ctx, ticket)
	if err != nil {
		return "", err
	}
	var t struct {
		Iss, Aud, Sub, Jti string
		Exp                int64
	}
	if err := json.Unmarshal(payload, &t); err != nil {
		return "", err
	}
	if t.Iss != r.Hub || t.Aud != r.AppID || t.Sub == "" || t.Jti == "" {
		return "", errors.New("this ticket is not for here")
	}
	if time.Now().After(time.Unix(t.Exp, 0)) {
		return "", errors.New("this ticket is too old")
	}
	if _, again := r.used.LoadOrStore(t.Jti, t.Exp); again {
		return "", errors.New("this ticket was used before")
	}
	return t.Sub, nil
}

// TestTheReceiverIsThatOfTheDocumentation wants each line of the example to stand here, so that what runs is what
// is told.
func TestTheReceiverIsThatOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("receiver_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```go\n")
	example, _, found := strings.Cut(example, "```")
	if !found || !strings.Contains(string(source), example) {
		t.Error("the example of docs/apps.md is not the one that runs here")
	}
}

// TestAnAppLearnsWhoComes jumps from Hub into an application of its own address.
func TestAnAppLearnsWhoComes(t *testing.T) {
	m := newMatrix(t)
	r := &Receiver{Hub: m.hub.URL(), AppID: "desk", Keys: oidc.NewRemoteKeySet(t.Context(), m.hub.URL()+"/apps/jwks.json")}
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		user, err := r.User(req.Context(), req.FormValue("ticket"))
		fmt.Fprint(w, user, err, " at "+req.URL.Path+req.Referer())
	}))
	t.Cleanup(desk.Close)
	admin := bearer(m.users.token(person, administrator))
	body := fmt.Sprintf(`{"appId":"desk","name":"Desk","entryUrl":"%s/in/","sso":"ticket"}`, desk.URL)
	if code, text := m.send(t, route{method: http.MethodPost, path: "/admin/apps", body: body}, admin); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	header := bearer(m.users.token(person, nil))
	header.Set("Accept", "text/html")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.hub.URL()+"/apps/desk/jump?to=/in/orders", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := m.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	at := resp.Header.Get("Location")
	for i, want := range []string{"amy<nil> at /in/orders", "this ticket was used before at /in/orders"} {
		if got := fetch(t, at); got != want {
			t.Errorf("visit %d: the app says %q, want %q", i, got, want)
		}
	}
	_, ticket, _ := strings.Cut(at, "ticket=")
	other := &Receiver{Hub: r.Hub, AppID: "other", Keys: r.Keys}
	if user, err := other.User(t.Context(), ticket); err == nil {
		t.Errorf("another app takes it for %s", user)
	}
	now := time.Now().Unix()
	good := object{"iss": r.Hub, "aud": "desk", "sub": "ben", "jti": "j", "iat": now, "exp": now + 60}
	typ := authtest.GoodHeader.With(object{"typ": "hub-jump+jwt"})
	parts := strings.Split(ticket, ".")
	for name, bad := range map[string]string{
		"nothing": "", "no token": "x", "of another key": authtest.SignRS256(authtest.OwnKey(), typ, good),
		"alg none": authtest.Encode(typ.With(object{"alg": "none"})) + "." + authtest.Encode(good) + ".", "of another user": parts[0] + "." + authtest.Encode(good) + "." + parts[2],
		"without a signature": parts[0] + "." + parts[1] + ".", "an access token": m.users.token(person, nil),
	} {
		if user, err := r.User(t.Context(), bad); err == nil {
			t.Errorf("%s: it is taken for %s", name, user)
		}
	}
	own := &Receiver{Hub: r.Hub, AppID: "desk", Keys: &oidc.StaticKeySet{PublicKeys: []crypto.PublicKey{authtest.OwnKey().Public()}}}
	if user, err := own.User(t.Context(), authtest.SignRS256(authtest.OwnKey(), typ, good)); err != nil || user != "ben" {
		t.Errorf("a good ticket is of %q, %v", user, err)
	}
	for name, change := range map[string]object{
		"expired": {"exp": now - 1}, "of another Hub": {"iss": "https://hub.example"}, "for another app": {"aud": "hub"}, "of nobody": {"sub": nil}, "without a jti": {"jti": nil},
	} {
		if user, err := own.User(t.Context(), authtest.SignRS256(authtest.OwnKey(), typ, good.With(object{"jti": name}).With(change))); err == nil {
			t.Errorf("%s: it is taken for %s", name, user)
		}
	}
}

// fetch gives the text of a page.
func fetch(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
