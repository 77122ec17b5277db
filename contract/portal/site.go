package portal

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func siteCases() []peopleCase {
	return []peopleCase{
		{"a cookie counts in requests of the own origin and of no page", siteOwn},
		{"a cookie does not count in requests of other origins, of the same site too", siteOthers},
		{"a link of another site opens a page of the portal with the cookie", siteLink},
		{"without Sec-Fetch-Site a cookie counts only with the own Origin", siteOrigin},
		{"what another origin sends changes nothing and evicts no stream", siteNothing},
		{"answers to a cookie are for the own origin", sitePolicy},
		{"no origin may call unless it is listed", siteNoCORS},
	}
}

func siteOwn(t *testing.T, st *stage) {
	for _, site := range []string{"same-origin", "none"} {
		for _, call := range calls(st.push(t, st.amy)) {
			st.hers.send(t, call[0], call[1], http.Header{"Sec-Fetch-Site": {site}}, "").data(t)
		}
	}
}

// foreign are headers of requests that pages of other origins make.
func foreign() map[string]http.Header {
	all := map[string]http.Header{"two": {"Sec-Fetch-Site": {"same-origin", "cross-site"}}, "a list": {"Sec-Fetch-Site": {"same-origin, same-origin"}}}
	for _, site := range []string{"same-site", "cross-site", "", "SAME-ORIGIN", "same-origin ", "other"} {
		all[site] = http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {"cors"}}
		all[site+", and no CORS"] = http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {"no-cors"}, "Sec-Fetch-Dest": {"image"}}
	}
	// A blank at an end is none.
	delete(all, "same-origin ")
	delete(all, "same-origin , and no CORS")
	return all
}

func siteOthers(t *testing.T, st *stage) {
	message := st.push(t, st.amy)
	all := calls(message)
	all["me"] = [2]string{http.MethodGet, "/portal/me"}
	all["logout"] = [2]string{http.MethodPost, "/portal/logout"}
	all["stream"] = [2]string{http.MethodGet, "/message-hub/stream"}
	before := st.unread(t, st.amy)
	for _, header := range foreign() {
		for _, call := range all {
			st.hers.send(t, call[0], call[1], header, "").fails(t, http.StatusForbidden)
		}
	}
	if after := st.unread(t, st.amy); after != before {
		t.Errorf("she has %s unread, want %s", after, before)
	}
	st.hers.get(t, "/portal/me").data(t)
}

func siteLink(t *testing.T, st *stage) {
	for _, site := range []string{"cross-site", "same-site", "same-origin", "none"} {
		if r := st.hers.send(t, http.MethodGet, "/portal/", navigation(site), ""); r.status != http.StatusOK || r.refresh() != "" {
			t.Errorf("from %s: %s", site, r)
		}
	}
	// Not into a frame, not by a form, and no other path.
	framed := with(navigation("cross-site"), "Sec-Fetch-Dest", "iframe")
	if r := st.hers.send(t, http.MethodGet, "/portal/me", framed, ""); r.status != http.StatusForbidden {
		t.Errorf("into a frame: %s", r)
	}
	st.hers.send(t, http.MethodPost, "/portal/logout", navigation("cross-site"), "").fails(t, http.StatusForbidden)
	st.hers.send(t, http.MethodGet, "/message-hub/inbox", navigation("cross-site"), "").fails(t, http.StatusForbidden)
}

func siteOrigin(t *testing.T, st *stage) {
	own, err := url.Parse(st.base)
	if err != nil {
		t.Fatal(err)
	}
	st.hers.send(t, http.MethodGet, "/portal/me", http.Header{"Origin": {st.base}}, "").data(t)
	scheme := map[bool]string{true: "http://", false: "https://"}[st.secure()]
	for _, values := range [][]string{
		nil,
		{""},
		{"null"},
		{scheme + own.Host},
		{own.Scheme + "://" + own.Hostname() + ":1"},
		{own.Scheme + "://evil." + own.Host},
		{st.base + "/"},
		{st.base + ".evil.example"},
		{strings.ToUpper(st.base)},
		{st.base, st.base},
		{st.base + ", " + st.base},
		{"https://evil.example"},
	} {
		st.hers.send(t, http.MethodGet, "/portal/me", http.Header{"Origin": values, "Referer": {st.base + "/portal/"}}, "").fails(t, http.StatusForbidden)
	}
}

func siteNothing(t *testing.T, st *stage) {
	v := st.visitor()
	v.logIn(t, st.ben, "")
	stream := v.listen(t, ownPage)
	message := st.push(t, st.ben)
	before := st.unread(t, st.ben)
	for _, header := range foreign() {
		v.send(t, http.MethodGet, "/message-hub/stream", with(header, "Accept", "text/event-stream"), "").fails(t, http.StatusForbidden)
		v.send(t, http.MethodPost, "/message-hub/messages/"+message+"/read", with(header, "Content-Type", "text/plain"), "{}").fails(t, http.StatusForbidden)
		v.send(t, http.MethodPost, "/portal/logout", header, "").fails(t, http.StatusForbidden)
	}
	if after := st.unread(t, st.ben); after != before {
		t.Errorf("ben has %s unread, want %s", after, before)
	}
	stream.wants(t, "message")
	stream.lives(t, st, st.ben)
}

func sitePolicy(t *testing.T, st *stage) {
	for _, path := range []string{"/portal/me", "/message-hub/inbox", "/todo-hub/todos"} {
		for _, header := range []http.Header{ownPage, {"Sec-Fetch-Site": {"same-site"}}} {
			r := st.hers.send(t, http.MethodGet, path, header, "")
			if got := r.header.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
				t.Errorf("Cross-Origin-Resource-Policy is %q: %s", got, r)
			}
			if got := r.header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
				t.Errorf("Cache-Control is %q: %s", got, r)
			}
		}
	}
}

func siteNoCORS(t *testing.T, st *stage) {
	const origin = "https://evil.example"
	preflight := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization"}}
	for _, path := range []string{"/todo-hub/todos", "/message-hub/inbox", "/message-hub/stream", "/counts", "/portal/me", "/portal/logout"} {
		r := st.ask(t, http.MethodOptions, path, preflight, "")
		if r.status != http.StatusMethodNotAllowed && r.status != http.StatusForbidden {
			t.Errorf("a preflight: %s", r)
		}
		answers := []reply{r}
		if path != "/message-hub/stream" { // a good token opens it
			answers = append(answers, st.ask(t, http.MethodGet, path, with(st.bearer(t, st.amy), "Origin", origin), ""))
		}
		for _, r := range answers {
			for name := range r.header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s is %q: %s", name, r.header.Get(name), r)
				}
			}
		}
	}
}
