package eventcenter

import (
	"net/http"
	"slices"
	"strings"
)

// Headers have names that differ in what stands between their words, and reach some programs as the same
// variable (RFC 3875, section 4.1.18). So names are compared by their letters and digits alone.

var (
	// hops are for one connection (RFC 9110, section 7.6.1), or written by it.
	hops = []string{
		"connection", "proxy-connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
		"transfer-encoding", "upgrade", "http2-settings", "content-length", "host",
	}
	// callers are what a caller must not tell the event center.
	callers        = []string{"authorization", "cookie", "forwarded", "x-real-ip", "x-request-id"}
	callerPrefixes = []string{"hub-", "x-forwarded-", "x-original-", "x-rewrite-"}
	// answers are what the event center must not tell in the name of Hub.
	answers        = []string{"set-cookie", "clear-site-data", "service-worker-allowed"}
	answerPrefixes = []string{"access-control-", "hub-"}
)

// plain is the name by which headers are compared.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		default:
			return '-'
		}
	}, name)
}

func listed(name string, names, prefixes []string) bool {
	return slices.Contains(names, name) ||
		slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// cleanRequest takes out of a request's header what is not for the event center. connection are the lines by
// which the caller names further headers of its connection.
func cleanRequest(header http.Header, connection []string) {
	var own []string
	for _, line := range connection {
		for name := range strings.SplitSeq(line, ",") {
			own = append(own, plain(strings.Trim(name, " \t")))
		}
	}
	for name := range header {
		if p := plain(name); listed(p, hops, nil) || listed(p, callers, callerPrefixes) || slices.Contains(own, p) {
			delete(header, name)
		}
	}
}

// cleanAnswer takes out of an answer's header what is not for callers of Hub; net/http makes Content-Length
// again from what it is told here.
func cleanAnswer(header http.Header) {
	for name := range header {
		if !answerable(name) && name != "Content-Length" {
			delete(header, name)
		}
	}
}

// answerable tells whether a header or trailer of the event center is for callers of Hub.
func answerable(name string) bool {
	p := plain(name)
	return !listed(p, hops, nil) && !listed(p, answers, answerPrefixes)
}

// answerableNames keeps of the lines that announce trailers the names of those that are sent.
func answerableNames(lines []string) (names []string) {
	for name := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if name = strings.TrimSpace(name); name != "" && answerable(name) {
			names = append(names, name)
		}
	}
	return names
}
