package allinone_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// own are headers of a request of Hub's own page.
func own(cookies ...string) http.Header {
	return http.Header{"Sec-Fetch-Site": {"same-origin"}, "Cookie": cookies}
}

// badCookies are those of Hub's own page that let nobody in.
func (m *matrix) badCookies(t *testing.T) map[string]http.Header {
	t.Helper()
	const name = "hub-session="
	login := m.logIn(t)
	ended := m.logIn(t)["hub-session"]
	if code, text := m.send(t, route{method: http.MethodPost, path: "/portal/logout"}, own(name+ended)); code != http.StatusOK {
		t.Fatalf("no logout: %d %s", code, text)
	}
	parts := strings.Split(m.session, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	claims := base64.RawURLEncoding.EncodeToString([]byte(`{"id":"x","user":"amy","begun":4000000000000,"at":4000000000000}`))
	all := map[string]http.Header{
		"a cookie that is empty":          own(name),
		"a cookie that is a word":         own(name + "amy"),
		"a cookie that is cut":            own(name + m.session[:len(m.session)-4]),
		"a cookie with more":              own(name + m.session + "AAAA"),
		"a cookie of no algorithm":        own(name + none + "." + claims + "."),
		"a cookie of no encryption":       own(name + none + ".." + parts[2] + "." + claims + "." + parts[4]),
		"a cookie without a tag":          own(name + strings.Join(parts[:4], ".") + "."),
		"a cookie that is too long":       own(name + strings.Repeat("A", 3000)),
		"a cookie of a login":             own(name + login["hub-login"]),
		"a session in the login's cookie": own("hub-login=" + m.session),
		"a session that has ended":        own(name + ended),
		"a session of another key":        own(name + newMatrix(t).session),
		"a session twice":                 own(name+m.session, name+m.session),
		"a session and another":           own(name + m.session + "; " + name + "x"),
		"a session of the name for https": own("__Host-hub-session=" + m.session),
		"a session of another name":       own("Hub-Session=" + m.session + "; session=" + m.session),
		"a session beside an empty token": with(own(name+m.session), "Authorization", ""),
		"a session beside a bad token":    with(own(name+m.session), "Authorization", "Bearer x"),
		"a session beside a secret":       with(own(name+m.session), "Authorization", "Basic YW15OmFteQ=="),
		"a session beside two tokens":     {"Sec-Fetch-Site": {"same-origin"}, "Cookie": {name + m.session}, "Authorization": {"", "Bearer x"}},
	}
	for i, part := range parts {
		if part == "" {
			continue // the key of a cookie is not in it
		}
		for where, at := range map[string]int{"start": 0, "middle": len(part) / 2} {
			changed := append([]string(nil), parts...)
			changed[i] = part[:at] + flipped(part[at]) + part[at+1:]
			all[fmt.Sprintf("a cookie with a change at the %s of part %d", where, i+1)] = own(name + strings.Join(changed, "."))
		}
	}
	return all
}

func flipped(letter byte) string {
	if letter == 'A' {
		return "B"
	}
	return "A"
}

func with(header http.Header, name, value string) http.Header {
	changed := header.Clone()
	changed[name] = []string{value}
	return changed
}

// badSites are requests with a good cookie that a page of another origin made.
func (m *matrix) badSites() map[string]http.Header {
	all := map[string]http.Header{}
	add := func(name string, header http.Header) {
		header.Set("Cookie", "hub-session="+m.session)
		all["a session, "+name] = header
	}
	for _, site := range []string{"same-site", "cross-site", "", "SAME-ORIGIN", "other", "same-origin, same-origin"} {
		add("from "+site, http.Header{"Sec-Fetch-Site": {site}})
		add("in a frame from "+site, http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}})
	}
	add("from two sites", http.Header{"Sec-Fetch-Site": {"same-origin", "cross-site"}})
	add("without a site", http.Header{})
	hub := m.hub.URL()
	for _, origin := range []string{
		"", "null", "https://evil.example", "https://portal.example", strings.Replace(hub, "http:", "https:", 1), hub + "1", hub + "/",
		hub + ".evil.example", strings.ToUpper(hub), strings.Replace(hub, "http://", "http://evil.", 1), "http://127.0.0.1", hub + ", " + hub,
	} {
		add("of the origin "+origin, http.Header{"Origin": {origin}})
	}
	add("of two origins", http.Header{"Origin": {hub, hub}})
	add("with a referrer alone", http.Header{"Referer": {hub + "/portal/"}})
	return all
}
