package contract

import (
	"testing"
)

func urlCases() []testCase {
	return []testCase{
		settled("addresses that run or read something are refused", urlsRefused),
		settled("other addresses are taken as they are", urlsTaken),
		settled("the schemes of an allow-list are the only ones", urlsSchemes),
	}
}

// activeURLs are addresses that a browser would run, read or take for another site.
func activeURLs() []string {
	return []string{
		"javascript:alert(1)", "JavaScript:alert(1)", "JAVASCRIPT:alert(1)", "javascript://x/%0aalert(1)", "javascript:", "jAvAsCrIpT:x",
		"data:text/html,<script>alert(1)</script>", "DATA:text/html;base64,PHNjcmlwdD4=", "data:,x", "vbscript:msgbox(1)", "VBScript:x",
		"blob:https://example.org/1", "Blob:x", "filesystem:https://example.org/temporary/x", "file:///etc/passwd", "FILE:c:/x", "about:blank",
		"About:srcdoc", " javascript:alert(1)", "\tjavascript:alert(1)", "\njavascript:alert(1)", "java\nscript:alert(1)", "java\tscript:alert(1)",
		"java\rscript:alert(1)", "javascript\t:alert(1)", "\x00javascript:alert(1)", "\x01javascript:alert(1)", "java\x00script:alert(1)",
		"\u0085javascript:x", "\u00a0javascript:x", "\u3000javascript:x", " /travel", "\t/travel", "//evil.example", "//evil.example/path", "///evil.example",
		`\\evil.example`, `/\evil.example`, `\/evil.example`, `https:\\evil.example`, `/a\b`, "https://example.org/\x7f", "/a\nb", "/a\x00b",
	}
}

func urlsRefused(t *testing.T, s *suite) {
	todo, message := s.upsertBody(t), s.pushBody(t)
	for _, url := range activeURLs() {
		todo.refuses(t, s, todo.valid.with("actionUrl", url), "actionUrl")
		message.refuses(t, s, message.valid.with("actions", []fields{{"label": "x", "url": "/fine"}, {"label": "x", "url": url}}), "url")
	}
	todo.untouched(t)
	message.untouched(t)
}

// takesURL demands that both places store the address as it is.
func takesURL(t *testing.T, s *suite, url string) {
	t.Helper()
	if item := s.main.upsert(t, newTodo().with("actionUrl", url)); item.ActionURL != url {
		t.Errorf("%q was stored as %q", url, item.ActionURL)
	}
	body := newMessage().with("actions", []fields{{"url": url}})
	s.main.push(t, body)
	if m := s.main.record(t, body.target()); m.Actions[0].URL != url {
		t.Errorf("%q was stored as %q", url, m.Actions[0].URL)
	}
}

func urlsTaken(t *testing.T, s *suite) {
	for _, url := range []string{
		"/travel/1", "travel/1", "?a=b", "#top", ".", "..", "a b", "/a//b", "/ü?ö=ä#ß", "/a%2Fb%20c", "/x?to=javascript:alert(1)", "/javascript:x",
		"./data:x", "%6aavascript:x", "日本語", "/a:b", "1:2", "/travel ", "/\u202e",
	} {
		takesURL(t, s, url)
	}
	if len(s.set.URLSchemes) > 0 {
		return
	}
	for _, url := range []string{
		"https://example.org/a?b=c&d=<e>#f", "http://example.org", "HTTPS://EXAMPLE.ORG", "myapp://open/1", "dingtalk://x", "weixin:x", "mailto:a@example.org",
		"tel:+49123", "javascriptx:y", "data-app:x", "fileshare:x", "x-about:y",
	} {
		takesURL(t, s, url)
	}
}

func urlsSchemes(t *testing.T, s *suite) {
	if len(s.set.URLSchemes) == 0 {
		takesURL(t, s, "any-scheme+1.0:x")
		return
	}
	for _, scheme := range s.set.URLSchemes {
		takesURL(t, s, scheme+"://example.org/1")
	}
	todo, message := s.upsertBody(t), s.pushBody(t)
	for _, url := range []string{"not-on-the-list://x", s.set.URLSchemes[0] + "x://y", "javascript:alert(1)"} {
		todo.refuses(t, s, todo.valid.with("actionUrl", url), "actionUrl")
		message.refuses(t, s, message.valid.with("actions", []fields{{"url": url}}), "url")
	}
	todo.untouched(t)
	message.untouched(t)
}
