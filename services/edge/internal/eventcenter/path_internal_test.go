package eventcenter

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	for escaped, good := range map[string]bool{
		"": true, "/": true, "//": true, "/a/b": true, "/...": true, "/..a": true, "/a..": true, "/a;..": true, "/%25": true, "/%zz": true, "/%2": true, "/%": true,
		"/%41": true, "/%c3%a9": true, "/a%3b..": true, "/%2525": true, "/;/x": true,
		"/.": false, "/..": false, "/../": false, "/a/..": false, "/%2e": false, "/%2E%2e": false, "/%252e": false, "/.%25252e": false, "/..;a": false, "/..%3ba": false,
		"/..%253b": false, "/a%2f..": false, "/a%252f%252e%252e%252fb": false, "/%5c": false, "/%255c": false, "/%00": false, "/%2500": false, "/%c0%ae": false, "/%25c0%25ae": false,
		"/%25%32%65": false, "/%%32%65": false, "..": false,
	} {
		if err := checkPath(escaped); (err == nil) != good {
			t.Errorf("%s: %v", escaped, err)
		}
	}
}

// FuzzPath reads what is let pass as servers of all kinds may: decoded from never to often, with backslashes as
// slashes, without what follows semicolons. Nobody ends above where he began.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/a/b", "/..", "/%2e%2e/x", "/a/..;x/b", "/%252e%252e%252f", "/..%5c..", "/%25%32%65.", "/a%2f..%2f..", "/%c0%ae./", "/;/../", "/a/%3b/.%2e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		if checkPath(escaped) != nil {
			return
		}
		read := escaped
		for range 6 {
			for segment := range strings.SplitSeq(strings.ReplaceAll(read, `\`, "/"), "/") {
				if name, _, _ := strings.Cut(segment, ";"); name == ".." || name == "." {
					t.Fatalf("%q is let pass, and may be read as %q", escaped, read)
				}
			}
			if strings.Contains(read, `\`) || strings.Contains(read, "\x00") {
				t.Fatalf("%q is let pass, and may be read as %q", escaped, read)
			}
			const base = "/base"
			if got := path.Clean(base + "/" + read); got != base && !strings.HasPrefix(got, base+"/") {
				t.Fatalf("%q is let pass, and may be read as %q", escaped, got)
			}
			next, err := url.PathUnescape(read)
			if err != nil {
				return
			}
			read = next
		}
	})
}

func TestNamesOfHeaders(t *testing.T) {
	for name, want := range map[string]string{
		"Hub-Client-Id": "hub-client-id", "HUB_CLIENT_ID": "hub-client-id", "hub.Client~id": "hub-client-id", "X-Forwarded-For": "x-forwarded-for",
	} {
		if got := plain(name); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
}
