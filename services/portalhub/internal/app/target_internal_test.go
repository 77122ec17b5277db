package app

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"example.com/hub/pkg/field"
)

func TestEntriesThatAnAppMayHave(t *testing.T) {
	for _, text := range []string{
		"https://app.example/", "https://app.example/in/", "https://app.example:8443/a/b/", "https://intranet/", "https://a-b_c.example/",
		"https://xn--bcher-kva.example/", "https://10.1.2.3/x/", "https://[2001:db8::1]:8443/", "https://app.example/caf%C3%A9/~x/a;b=1/",
		"http://localhost/", "http://localhost:8080/x/", "http://127.0.0.1:9000/", "http://127.9.9.9/", "http://[::1]:80" + "80/",
	} {
		var c field.Checks
		if checkEntryURL(&c, text); c.Err() != nil {
			t.Errorf("%s: %v", text, c.Err())
		}
		if got, err := resolve(text, ""); err != nil || got != text {
			t.Errorf("%s: a jump without a target leads to %q, %v", text, got, err)
		}
		checkJump(t, text, "", text)
	}
}

func TestEntriesAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "entry url must not be empty",
		"http://app.example/":         "entry url must begin with https://, unless its host is localhost or an address of loopback",
		"app.example":                 "entry url must begin with https://, or on loopback with http://",
		"https://app.example/x":       "entry url must have a path that ends with a slash, and nothing behind it",
		"https://App.example/":        "entry url must have a host in small letters, without a user, as browsers write it",
		"https://app.example:443/":    "entry url must have a port from 1 to 65535 without zeros in front, and none where it is 443",
		"https://app.example/ü/":      "entry url must be in the form of URLs: other characters are percent-encoded",
		"https://app.example/%2e%2e/": "entry url must have a path without empty, . and .. segments, backslashes and control characters, also when it is decoded",
		"https://app.example/" + strings.Repeat("x", field.MaxURL) + "/": "entry url must be at most 2048 characters",
	} {
		var c field.Checks
		checkEntryURL(&c, text)
		if c.Err() == nil || c.Err().Error() != want {
			t.Errorf("%.60s: %v, want %s", text, c.Err(), want)
		}
	}
}

func TestTargetsThatAJumpMayHave(t *testing.T) {
	const entry = "https://app.example/in/"
	for _, to := range []string{
		"/in/", "/in/a", "/in/a/", "/in/a/b.html", "/in/a?b=c", "/in/?", "/in/?a=b&c=d", "/in/?url=https://other.example/x?y", "/in/?a[0]=b", "/in/a%20b",
		"/in/caf%C3%A9", "/in/100%25", "/in/a%2fb", "/in/a%23b", "/in/a%3fb", "/in/~a/!$&'()*+,;=:@", "/in/a;v=1/b", "/in/..a", "/in/a..b/c", "/in/a...", "/in/?a=..%2f..", "/in/?a=%0d%0a",
		"/in/?ticket=x", "/in/" + strings.Repeat("x", maxTarget-4),
	} {
		got, err := resolve(entry, to)
		if err != nil || got != "https://app.example"+to {
			t.Errorf("%.60s: %q, %v", to, got, err)
		}
		checkJump(t, entry, to, got)
	}
}

func FuzzJumpsStayBelowTheEntry(f *testing.F) {
	for _, entry := range []string{"https://app.example/in/", "https://app.example/", "http://[::1]:8080/a/b/", "https://app.example:8443/caf%C3%A9/"} {
		for _, to := range []string{
			"", "/in/", "/in/a?b=c", "//evil.example/in/", "/\\evil.example/in/", "/in/../x", "/in/%2e%2e/x", "/in/%252e%252e%252fx", "/in/..;/x", "/in/%c0%ae", "/in/\t", "/in/#x",
			"/in/?a=%0d", "/caf%C3%A9/", "/caf\u00e9/", "/a/b/c", "/", "@evil.example/", ":1@evil.example/", "/in/%25%32%65%25%32%65/x",
		} {
			f.Add(entry, to)
		}
	}
	for _, entry := range []string{"http://127.1/", "https://user@app.example/", "https://app.example:443/", "https://0x7f/", "https://xn--a/", "https://app\\x/"} {
		f.Add(entry, "")
	}
	f.Fuzz(func(t *testing.T, entry, to string) {
		if got, err := resolve(entry, to); err == nil {
			checkJump(t, entry, to, got)
		}
	})
}

// checkJump reads an address by another parser: it has the origin of the entry and a path below that of the
// entry, however often it is decoded.
func checkJump(t *testing.T, entry, to, address string) {
	t.Helper()
	from, err := url.Parse(entry)
	if err != nil {
		t.Fatalf("%q: %v", entry, err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("%q to %q: %v", entry, to, err)
	}
	switch {
	case u.Scheme != from.Scheme, u.Host != from.Host, u.Host == "", u.User != nil, u.Fragment != "", u.Opaque != "":
		t.Errorf("%q to %q leads to %q", entry, to, address)
	case u.Scheme != "https" && u.Hostname() != "localhost" && !strings.HasPrefix(u.Hostname(), "127.") && u.Hostname() != "::1":
		t.Errorf("%q is taken", entry)
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' || r == '#' }):
		t.Errorf("%q to %q leads to %q", entry, to, address)
	}
	below, p := from.EscapedPath(), u.EscapedPath()
	for range 4 {
		if cleaned := path.Clean(p); !strings.HasPrefix(p, below) || cleaned != p && cleaned+"/" != p {
			t.Errorf("%q to %q leads to %q, which is read as %q", entry, to, address, p)
		}
		// What is not encoded as a whole is not decoded further by this parser.
		nextBelow, err := url.PathUnescape(below)
		nextPath, err2 := url.PathUnescape(p)
		if err != nil || err2 != nil {
			return
		}
		below, p = nextBelow, nextPath
	}
}
