package portal

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"example.com/hub/contract"
)

func socketPeopleCases() []peopleCase {
	return []peopleCase{
		{"a person opens a socket with her token and without her name", socketBearer},
		{"another name is 403", socketOtherName},
		{"with a token the Origin is not looked at", socketBearerOrigin},
		{"a cookie opens a socket from Hub's own origin", socketCookie},
		{"a cookie opens no socket from another origin, of the same site too", socketSibling},
		{"a socket ends with its session", socketLogout},
		{"a socket ends with its token", socketExpiry},
	}
}

// mustOpen opens a socket that may be opened.
func (v *visitor) mustOpen(t *testing.T, query string, header http.Header) *wire {
	t.Helper()
	w, refused := v.socket(t, query, header)
	if w == nil {
		t.Fatalf("no socket: %s", refused)
	}
	return w
}

func socketBearer(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	for _, query := range []string{"", "?user=" + url.QueryEscape(st.amy)} {
		w := st.visitor().mustOpen(t, query, header)
		w.wantsCount(t, unreadOf(t, st.Session, st.amy))
		w.lives(t, st.Session, st.amy)
	}
}

func socketOtherName(t *testing.T, st *stage) {
	for _, user := range []string{st.ben, contract.Fresh("nobody")} {
		_, refused := st.visitor().socket(t, "?user="+url.QueryEscape(user), st.bearer(t, st.amy))
		refused.fails(t, http.StatusForbidden)
	}
}

func socketBearerOrigin(t *testing.T, st *stage) {
	for _, origin := range []string{"https://evil.example", "null"} {
		w := st.visitor().mustOpen(t, "", with(st.bearer(t, st.amy), "Origin", origin))
		w.lives(t, st.Session, st.amy)
	}
}

func socketCookie(t *testing.T, st *stage) {
	for _, header := range []http.Header{
		{"Origin": {st.base}},
		{"Origin": {st.base}, "Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Mode": {"websocket"}, "Sec-Fetch-Dest": {"empty"}},
	} {
		w := st.hers.mustOpen(t, "", header)
		w.wantsCount(t, unreadOf(t, st.Session, st.amy))
		w.lives(t, st.Session, st.amy)
	}
}

// socketSibling also shows that nothing was opened: no socket of hers ends.
func socketSibling(t *testing.T, st *stage) {
	own, err := url.Parse(st.base)
	if err != nil {
		t.Fatal(err)
	}
	mine := st.hers.mustOpen(t, "", http.Header{"Origin": {st.base}})
	mine.wantsCount(t, unreadOf(t, st.Session, st.amy))
	for _, origin := range []string{"", "null", own.Scheme + "://evil." + own.Host, st.base + ".evil.example", "https://evil.example", st.base + "/"} {
		for _, site := range []string{"", "same-origin", "same-site", "cross-site", "none"} {
			header := http.Header{}
			if origin != "" {
				header.Set("Origin", origin)
			}
			if site != "" {
				header.Set("Sec-Fetch-Site", site)
			}
			_, refused := st.hers.socket(t, "", header)
			refused.fails(t, http.StatusForbidden)
		}
	}
	mine.lives(t, st.Session, st.amy)
}

func socketLogout(t *testing.T, st *stage) {
	v := st.visitor()
	v.logIn(t, st.ben, "")
	one, two := v.mustOpen(t, "", http.Header{"Origin": {st.base}}), v.mustOpen(t, "", http.Header{"Origin": {st.base}})
	other := st.visitor().mustOpen(t, "", st.bearer(t, st.ben))
	v.post(t, "/portal/logout").data(t)
	one.wantsEnd(t, 4003)
	two.wantsEnd(t, 4003)
	other.lives(t, st.Session, st.ben)
	_, refused := v.socket(t, "", http.Header{"Origin": {st.base}})
	refused.fails(t, http.StatusUnauthorized)
}

func socketExpiry(t *testing.T, st *stage) {
	if header, ok := st.signed(t, "at+jwt", map[string]any{"exp": time.Now().Add(3 * time.Second).Unix()}); ok {
		st.visitor().mustOpen(t, "", header).wantsEnd(t, 4003)
	}
}
