package portal

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func pageCases() []peopleCase {
	return []peopleCase{
		{"it says who one is", pageMe},
		{"who one is is for people to ask", pageMeOthers},
		{"a navigation to the root leads to the page and everything else is 404", pageRoot},
		{"without a session the page leads to the login and back", pageLogin},
		{"a link of another site is tried once more before the login", pageBounce},
		{"the page allows nothing from elsewhere and no frame around it", pagePolicy},
		{"what the page needs is there", pageAssets},
	}
}

// ownMembers are those of /portal/me.
var ownMembers = []string{"dept", "email", "name", "permissions", "roles", "sessionExpiresAt", "userId", "username"}

func pageMe(t *testing.T, st *stage) {
	for what, r := range map[string]reply{
		"session": st.hers.get(t, "/portal/me"),
		"token":   st.ask(t, http.MethodGet, "/portal/me", st.bearer(t, st.amy), ""),
	} {
		me := decode[map[string]any](t, r.data(t))
		if got := slices.Sorted(maps.Keys(me)); !slices.Equal(got, ownMembers) {
			t.Errorf("by %s: the members are %q, want %q", what, got, ownMembers)
		}
		if me["username"] != st.amy {
			t.Errorf("by %s: the username is %v, want %s", what, me["username"], st.amy)
		}
		for _, list := range []string{"roles", "permissions"} {
			if _, ok := me[list].([]any); !ok && me[list] != nil {
				t.Errorf("by %s: %s is %v", what, list, me[list])
			}
		}
		ends, _ := me["sessionExpiresAt"].(string)
		at, err := time.Parse(time.RFC3339, ends)
		if what == "session" && (err != nil || time.Until(at) <= 0 || time.Until(at) > 720*time.Hour) {
			t.Errorf("by %s: the session ends at %v", what, me["sessionExpiresAt"])
		}
	}
}

func pageMeOthers(t *testing.T, st *stage) {
	st.ask(t, http.MethodGet, "/portal/me", ownPage, "").fails(t, http.StatusUnauthorized)
	st.Call(t, http.MethodGet, "/portal/me", nil, nil).Fails(t, http.StatusForbidden)
	if r := st.hers.post(t, "/portal/me"); r.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", r)
	}
}

func pageRoot(t *testing.T, st *stage) {
	r := st.ask(t, http.MethodGet, "/", typed, "")
	if r.status != http.StatusSeeOther || r.header.Get("Location") != "/portal/" {
		t.Errorf("it leads to %q: %s", r.header.Get("Location"), r)
	}
	for _, accept := range []string{"", "*/*", "application/json", "text/*"} {
		st.ask(t, http.MethodGet, "/", http.Header{"Accept": {accept}}, "").fails(t, http.StatusNotFound)
	}
	for _, path := range []string{"/favicon.ico", "/portal", "/portal/unknown", "/message-hub/inbox/x"} {
		if r := st.hers.get(t, path); r.status != http.StatusNotFound {
			t.Errorf("%s: %s", path, r)
		}
	}
}

func pageLogin(t *testing.T, st *stage) {
	r := st.ask(t, http.MethodGet, "/portal/", typed, "")
	if r.status != http.StatusSeeOther || r.header.Get("Location") != "/portal/login?returnTo=%2Fportal%2F" {
		t.Errorf("it leads to %q: %s", r.header.Get("Location"), r)
	}
}

func pageBounce(t *testing.T, st *stage) {
	v := st.visitor()
	r := v.send(t, http.MethodGet, "/portal/", fromLink, "")
	again := r.refresh()
	if r.status != http.StatusOK || again != "/portal/?b=1" {
		t.Fatalf("it leads to %q: %s", again, r)
	}
	if r := v.send(t, http.MethodGet, again, navigation("same-origin"), ""); r.status != http.StatusSeeOther || r.header.Get("Location") != "/portal/login?returnTo=%2Fportal%2F" {
		t.Errorf("and then to %q: %s", r.header.Get("Location"), r)
	}
	if r := st.hers.send(t, http.MethodGet, again, navigation("same-origin"), ""); r.status != http.StatusOK || r.refresh() != "" {
		t.Errorf("with a session: %s", r)
	}
}

func pagePolicy(t *testing.T, st *stage) {
	const want = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
	for what, r := range map[string]reply{
		"the page":        st.hers.send(t, http.MethodGet, "/portal/", typed, ""),
		"a refused login": st.ask(t, http.MethodGet, "/portal/callback", typed, ""),
	} {
		if got := r.header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: Content-Security-Policy is %q", what, got)
		}
		if strings.Contains(string(r.body), "<script>") || strings.Contains(string(r.body), " style=") {
			t.Errorf("%s has what its own policy forbids: %s", what, r)
		}
	}
}

// needed are the addresses that a page loads.
var needed = regexp.MustCompile(`(?:src|href)="(/[^"]*\.[a-z]+)"`)

func pageAssets(t *testing.T, st *stage) {
	r := st.hers.send(t, http.MethodGet, "/portal/", typed, "")
	found := needed.FindAllStringSubmatch(string(r.body), -1)
	if len(found) == 0 {
		t.Fatalf("the page loads nothing: %s", r)
	}
	for _, f := range found {
		asset := st.ask(t, http.MethodGet, f[1], ownPage, "")
		if asset.status != http.StatusOK || len(asset.body) == 0 {
			t.Errorf("%s", asset)
		}
	}
}
