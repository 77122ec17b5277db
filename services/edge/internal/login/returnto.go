package login

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Home is where a login leads that was asked for nothing else.
const Home = "/portal/"

// maxReturn is the longest address to come back to, in bytes.
const maxReturn = 2048

// returnable gives the address to come back to after a login: what was asked for where it is a page of the
// portal or an app, else Home.
func returnable(asked string) string {
	u, err := url.Parse(asked)
	switch {
	case len(asked) > maxReturn || !utf8.ValidString(asked) || strings.ContainsFunc(asked, unprintable):
		return Home
	case err != nil || u.Scheme != "" || u.Opaque != "" || u.Host != "" || u.User != nil || u.Fragment != "":
		return Home
	case !ours(u.EscapedPath()) || !strings.HasPrefix(asked, u.EscapedPath()):
		return Home
	}
	return asked
}

// unprintable are the characters that a browser never sends in an address, or that it may take for a slash.
func unprintable(r rune) bool {
	return r <= ' ' || unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune("\\\"<>", r)
}

// ours tells whether a path stays below the portal or the apps, however often somebody decodes it.
func ours(p string) bool {
	for {
		if !clean(p) || strings.ContainsFunc(p, func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r == utf8.RuneError }) {
			return false
		}
		if !strings.HasPrefix(p, "/portal/") && !strings.HasPrefix(p, "/apps/") {
			return false
		}
		if own, _, _ := strings.Cut(strings.TrimPrefix(p, "/portal/"), "/"); strings.HasPrefix(p, "/portal/") && slices.Contains(steps, own) {
			return false
		}
		decoded, err := url.PathUnescape(p)
		if err != nil {
			return false
		}
		if decoded == p {
			return true
		}
		p = decoded
	}
}

// steps are the paths below the portal that a login is made of.
var steps = []string{"login", "callback", "logout"}

// clean tells whether cleaning leaves a path as it is; a slash at the end may stay.
func clean(p string) bool {
	cleaned := path.Clean(p)
	return p == cleaned || p == cleaned+"/"
}
