package login

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

func TestReturnable(t *testing.T) {
	for _, good := range []string{
		"/portal/", "/portal/todos", "/portal/todos/", "/portal/a?list=done&x=%2F..%2F", "/apps/crm/jump", "/apps/crm/jump?to=//evil.example",
		"/apps/", "/portal/logins", "/portal/a%20b", "/portal/%C3%A4", "/portal/loginx/login", "/apps/login",
		"/portal/" + strings.Repeat("a", 2040),
	} {
		if got := returnable(good); got != good {
			t.Errorf("%q leads to %q", good, got)
		}
	}
	for _, bad := range []string{
		"", "/", "/portal", "/apps", "portal/", "/todo-hub/todos", "/demo/oidc/authorize", "/files/x", "?x", "#x",
		"//evil.example", "///evil.example", "//evil.example/portal/", "/\\evil.example", "\\\\evil.example", "/portal/\\evil", "\\/evil.example",
		"https://evil.example/portal/", "http:/portal/", "http:portal/", "javascript:alert(1)", "data:text/html,x", "https:evil.example",
		"//user@evil.example/portal/", "http://hub.test@evil.example/portal/", "//evil.example:80/portal/", "user@evil.example",
		"/portal/../x", "/portal/..", "/portal/./x", "/portal//x", "//portal/", "/portal/x/../../apps", "/apps/../portal/",
		"/portal/%2e%2e/x", "/portal/%2E%2E%2Fx", "/portal/%2e%2e%2f%2e%2e", "/portal/%252e%252e/x", "/portal/..%2fx", "/portal/%2f/evil", "/portal/%2fevil",
		"/portal/%5cevil", "/portal/%255cevil", "/portal%2f", "/%70ortal/", "%2fportal/", "%2f%2fevil.example", "/%2fevil.example", "/%5cevil.example",
		"/portal/\x00", "/portal/\n", "/portal/\t/evil", "/\t/evil.example", "\t//evil.example", " /portal/", "/portal/ x", "/portal/%00", "/portal/%0d%0aSet-Cookie:x", "/portal/\x7f", "/portal/\u0085", "/portal/\u2028", "/portal/%c2%85",
		"/portal/%", "/portal/%zz", "/portal/\xff", "/portal/%ff", "/portal/#x", "/portal/\"><script>", "/portal/?x=\"",
		"/portal/login", "/portal/callback", "/portal/logout", "/portal/login/", "/portal/login?returnTo=/portal/login", "/portal/callback?code=x", "/portal/logout/x",
		"/portal/%6cogin", "/portal/%256cogin", "/portal/lo%67out", "/portal/" + strings.Repeat("a", 2041),
	} {
		if got := returnable(bad); got != Home {
			t.Errorf("%q leads to %q", bad, got)
		}
	}
}

// FuzzReturnable looks for an address that leads away from the portal and the apps, as a browser reads it.
func FuzzReturnable(f *testing.F) {
	for _, seed := range []string{"/portal/", "//evil.example", "/\\evil", "/portal/%2e%2e/", "/portal/x?y", "/apps/x/jump?to=/y", "/portal/a;b", "/portal/:80", "/portal/@evil"} {
		f.Add(seed)
	}
	base, err := url.Parse("https://hub.test/portal/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, asked string) {
		got := returnable(asked)
		// A browser takes backslashes for slashes and leaves out tabs and line ends.
		read := strings.NewReplacer("\\", "/", "\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(got))
		to, err := base.Parse(read)
		if err != nil || read != got {
			t.Fatalf("%q leads to %q: %v", asked, got, err)
		}
		p := path.Clean(to.Path) + "/"
		if to.Scheme != "https" || to.Host != "hub.test" || to.User != nil || !strings.HasPrefix(p, "/portal/") && !strings.HasPrefix(p, "/apps/") {
			t.Fatalf("%q leads to %s", asked, to)
		}
		for _, step := range []string{PathLogin, PathCallback, PathLogout} {
			if strings.HasPrefix(p, step+"/") {
				t.Fatalf("%q leads to %s", asked, to)
			}
		}
	})
}
