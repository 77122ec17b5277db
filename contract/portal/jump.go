package portal

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// jumpTo is the path of a jump.
func jumpTo(id, to string) string {
	if to == "" {
		return "/apps/" + id + "/jump"
	}
	return "/apps/" + id + "/jump?to=" + url.QueryEscape(to)
}

// place is the data of a jump that is no navigation.
type place struct {
	URL       string  `json:"url"`
	ExpiresAt *string `json:"expiresAt"`
}

func jumpHidden(t *testing.T, st *stage) {
	for _, id := range []string{"unknown", st.app(t, `,"enabled":false`), st.app(t, `,"visibleFor":["user:`+st.ben+`"]`)} {
		for _, below := range []string{"", "/portal"} {
			st.hers.get(t, below+jumpTo(id, "")).fails(t, http.StatusNotFound)
			st.hers.send(t, http.MethodGet, below+jumpTo(id, "/x"), typed, "").fails(t, http.StatusNotFound)
		}
	}
}

func jumpBelow(t *testing.T, st *stage) {
	id := st.app(t, "")
	for to, want := range map[string]string{
		"": inAddress, "/in/": inAddress, "/in/orders/42?view=full&a[0]=b": inAddress + "orders/42?view=full&a[0]=b",
		"/in/caf%C3%A9/a%2fb": inAddress + "caf%C3%A9/a%2fb", "/in/?url=https://other.example/": inAddress + "?url=https://other.example/",
	} {
		for _, below := range []string{"", "/portal"} {
			if got := decode[place](t, st.hers.get(t, below+jumpTo(id, to)).data(t)); got.URL != want || got.ExpiresAt != nil {
				t.Errorf("%q leads to %+v", to, got)
			}
		}
	}
	st.hers.get(t, jumpTo(id, "/in/")+"&to=/in/").fails(t, http.StatusBadRequest)
}

func jumpNavigation(t *testing.T, st *stage) {
	for _, sso := range []string{"none", "ticket"} {
		id := st.app(t, `,"sso":"`+sso+`"`)
		for what, header := range map[string]http.Header{
			"typed": typed, "a link": fromLink, "a mode": {"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Mode": {"navigate"}},
			"a page": with(ownPage, "Accept", "text/html"),
		} {
			r := st.hers.send(t, http.MethodGet, jumpTo(id, "/in/x"), header, "")
			if r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), inAddress+"x") {
				t.Errorf("%s: to %q: %s", what, r.header.Get("Location"), r)
			}
			isPrivate(t, r)
		}
		r := st.hers.get(t, jumpTo(id, "/in/x"))
		r.data(t)
		isPrivate(t, r)
	}
}

// isPrivate wants an answer that nobody keeps, and that does not tell the app where its user comes from.
func isPrivate(t *testing.T, r reply) {
	t.Helper()
	if r.header.Get("Referrer-Policy") != "no-referrer" || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("Referrer-Policy is %q and Cache-Control %q: %s", r.header.Get("Referrer-Policy"), r.header.Get("Cache-Control"), r)
	}
}

func jumpLogin(t *testing.T, st *stage) {
	id := st.app(t, "")
	path := jumpTo(id, "/in/x?y=z")
	v := st.visitor()
	again := v.send(t, http.MethodGet, path, fromLink, "")
	if again.status != http.StatusOK || again.refresh() != path+"&b=1" {
		t.Fatalf("it leads to %q: %s", again.refresh(), again)
	}
	isPrivate(t, again)
	login := v.send(t, http.MethodGet, again.refresh(), navigation("same-origin"), "")
	if want := "/portal/login?returnTo=" + url.QueryEscape(path); login.status != http.StatusSeeOther || login.header.Get("Location") != want {
		t.Fatalf("it leads to %q, want %q: %s", login.header.Get("Location"), want, login)
	}
	isPrivate(t, login)
	back := v.logIn(t, st.amy, strings.TrimPrefix(login.header.Get("Location"), "/portal/login"))
	if back.refresh() != path {
		t.Fatalf("the login leads to %q", back.refresh())
	}
	if r := v.send(t, http.MethodGet, back.refresh(), navigation("same-origin"), ""); r.header.Get("Location") != inAddress+"x?y=z" {
		t.Errorf("it leads to %q: %s", r.header.Get("Location"), r)
	}
	if r := st.hers.send(t, http.MethodGet, path+"&b=1", navigation("same-origin"), ""); r.header.Get("Location") != inAddress+"x?y=z" {
		t.Errorf("with a session it leads to %q: %s", r.header.Get("Location"), r)
	}
}

func jumpHostile(t *testing.T, st *stage) {
	id := st.app(t, `,"sso":"ticket"`)
	header := st.bearer(t, st.amy)
	all := HostileTargets()
	if len(all) < 100 {
		t.Errorf("%d hostile targets, want at least 100", len(all))
	}
	for _, to := range all {
		r := st.ask(t, http.MethodGet, jumpTo(id, to), header, "")
		if r.fails(t, http.StatusBadRequest); r.header.Get("Location") != "" {
			t.Errorf("%q leads to %q", to, r.header.Get("Location"))
		}
	}
	for _, to := range all[:20] {
		if r := st.ask(t, http.MethodGet, jumpTo(id, to), with(header, "Accept", "text/html"), ""); r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
			t.Errorf("%q leads to %q: %s", to, r.header.Get("Location"), r)
		}
	}
}

func entryHostile(t *testing.T, st *stage) {
	id := st.app(t, "")
	header := with(st.bearer(t, st.carla), "Content-Type", "application/json")
	for _, entry := range HostileEntries() {
		body, err := json.Marshal(map[string]any{"name": "x", "entryUrl": entry})
		if err != nil {
			t.Fatal(err)
		}
		st.ask(t, http.MethodPut, "/admin/apps/"+id, header, string(body)).fails(t, http.StatusBadRequest)
	}
	if a := st.stored(t, id); a.EntryURL != inAddress {
		t.Errorf("it is %+v", a)
	}
}

func ticketHostile(t *testing.T, st *stage) {
	id := st.app(t, `,"sso":"ticket"`)
	header := st.bearer(t, st.amy)
	for _, query := range HostileQueries() {
		st.ask(t, http.MethodGet, jumpTo(id, "/in/?"+query), header, "").fails(t, http.StatusBadRequest)
	}
}

// ticketOf jumps into an app with tickets, and gives the ticket.
func (st *stage) ticketOf(t *testing.T, id, to string) (ticket string, at place) {
	t.Helper()
	at = decode[place](t, st.hers.get(t, jumpTo(id, to)).data(t))
	u, err := url.Parse(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	if tickets := u.Query()["ticket"]; len(tickets) == 1 {
		return tickets[0], at
	}
	t.Fatalf("there is no ticket in %q", at.URL)
	return "", at
}

func claimsOf(t *testing.T, part string) map[string]any {
	t.Helper()
	plain, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	return decode[map[string]any](t, plain)
}

func ticketClaims(t *testing.T, st *stage) {
	id := st.app(t, `,"sso":"ticket"`)
	seen := map[any]bool{}
	for _, to := range []string{"", "/in/x", "/in/x?", "/in/x?a=b&c=d"} {
		ticket, at := st.ticketOf(t, id, to)
		if before, _, _ := strings.Cut(at.URL, "ticket="); strings.TrimRight(before, "?&") != strings.TrimRight("https://app.example"+to, "?") && to != "" {
			t.Errorf("%q leads to %q", to, at.URL)
		}
		parts := strings.Split(ticket, ".")
		if len(parts) != 3 {
			t.Fatalf("the ticket has %d parts", len(parts))
		}
		header, claims := claimsOf(t, parts[0]), claimsOf(t, parts[1])
		if header["typ"] != "hub-jump+jwt" || header["alg"] != "RS256" || !st.verifies(t, header["kid"], parts) {
			t.Errorf("the header is %v", header)
		}
		issued, _ := claims["iat"].(float64)
		expires, _ := claims["exp"].(float64)
		if claims["iss"] != st.base || claims["aud"] != id || claims["sub"] != st.amy || expires-issued != 60 {
			t.Errorf("the claims are %v", claims)
		}
		if claims["jti"] == "" || seen[claims["jti"]] {
			t.Errorf("jti is %v again", claims["jti"])
		}
		seen[claims["jti"]] = true
		if until := time.Unix(int64(expires), 0).UTC().Format(time.RFC3339); at.ExpiresAt == nil || *at.ExpiresAt != until {
			t.Errorf("expiresAt is %v, want %s", at.ExpiresAt, until)
		}
		if early, late := time.Until(time.Unix(int64(expires), 0)), time.Minute+contractSkew; early < -contractSkew || early > late {
			t.Errorf("it ends in %v", early)
		}
	}
}

// contractSkew is what the clock of a target may differ by.
const contractSkew = 30 * time.Second

// verifies checks the signature of a ticket with the keys that Hub publishes.
func (st *stage) verifies(t *testing.T, kid any, parts []string) bool {
	t.Helper()
	r := st.ask(t, http.MethodGet, "/apps/jwks.json", nil, "")
	keys := decode[struct {
		Keys []struct{ Kid, N, E, Kty, D string }
	}](t, r.body)
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	for _, k := range keys.Keys {
		if k.D != "" || k.Kty != "RSA" {
			t.Errorf("a key is %s, and private: %v", k.Kty, k.D != "")
		}
		n, err := base64.RawURLEncoding.DecodeString(k.N)
		if err == nil && k.Kid == kid {
			return rsa.VerifyPKCS1v15(&rsa.PublicKey{N: new(big.Int).SetBytes(n), E: 65537}, crypto.SHA256, sum[:], signature) == nil
		}
	}
	return false
}

func ticketNoToken(t *testing.T, st *stage) {
	ticket, _ := st.ticketOf(t, st.app(t, `,"sso":"ticket"`), "")
	for _, path := range []string{"/portal/me", "/apps", "/admin/apps", "/todo-hub/todos?assigneeUsername=" + st.amy, "/message-hub/inbox?username=" + st.amy, "/message-hub/stream?user=" + st.amy, "/counts?username=" + st.amy} {
		st.ask(t, http.MethodGet, path, http.Header{"Authorization": {"Bearer " + ticket}}, "").fails(t, http.StatusUnauthorized)
		v := st.withCookie(ticket)
		if r := v.send(t, http.MethodGet, path, ownPage, ""); r.status != http.StatusUnauthorized {
			t.Errorf("as a cookie: %s", r)
		}
	}
}
