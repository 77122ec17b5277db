package session

import (
	"net/http"
	"strings"
)

// navigable are the folders that a link of another site may open, with the cookie if the browser sends it.
var navigable = []string{"/portal/", "/apps/", "/files/"}

// ownSite tells whether a request comes from a page of Hub's own, or from nobody's page, so that its cookie
// counts. Every method is held to it: a page of a sibling domain, whose requests are of the same site and
// so have the cookie, could otherwise take a user's stream from her. The header is the browser's own, and
// no page can set it (Fetch Metadata, section 2.4).
func (s *Sessions) ownSite(r *http.Request) bool {
	switch site := r.Header["Sec-Fetch-Site"]; {
	case len(site) == 0:
		return s.OwnOrigin(r.Header["Origin"])
	case len(site) > 1:
		return false
	case site[0] == "same-origin", site[0] == "none":
		return true
	}
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
		return false
	}
	for _, folder := range navigable {
		if strings.HasPrefix(r.URL.Path, folder) {
			return true
		}
	}
	return false
}

// OwnOrigin tells whether the Origin of a request is that of Hub's own pages.
func (s *Sessions) OwnOrigin(origin []string) bool { return len(origin) == 1 && origin[0] == s.origin }
