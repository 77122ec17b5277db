package allinone_test

import (
	"net/http"
	"testing"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

func TestEventCenter(t *testing.T) {
	center := portal.NewEventCenter(t)
	portal.RunEventCenter(t, target(start(t, center.Settings()...), func(*contract.Settings) {}), center)
}

func TestEventCenterWithErrorStatus200(t *testing.T) {
	center := portal.NewEventCenter(t)
	hub := start(t, append(center.Settings(), "HUB_ERROR_STATUS=200")...)
	portal.RunEventCenter(t, target(hub, func(s *contract.Settings) { s.ErrorStatus200 = true }), center)
}

func TestEventCenterOverTLS(t *testing.T) {
	center, authority := portal.NewEventCenter(t), tlstest.New(t)
	_, environ := withCertificate(t, authority)
	over := target(start(t, append(environ, center.Settings()...)...), func(*contract.Settings) {})
	over.Authorities = authority.Pool()
	portal.RunEventCenter(t, over, center)
}

func TestOnlyClientsCallTheEventCenter(t *testing.T) {
	m := newMatrix(t)
	feed := bearer(m.clients.token(object{"scope": "directory"}, nil))
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, "PROPFIND"} {
		for who, c := range map[string]struct {
			header http.Header
			code   int
		}{
			"a client":                       {bearer(m.clients.token(nil, nil)), http.StatusServiceUnavailable}, // which is asked
			"a feed of the directory":        {feed, http.StatusForbidden},
			"a user":                         {bearer(m.users.token(person, nil)), http.StatusForbidden},
			"an administrator":               {bearer(m.users.token(person, administrator)), http.StatusForbidden},
			"a user with a session":          {http.Header{"Cookie": {"hub-session=" + m.session}, "Sec-Fetch-Site": {"same-origin"}}, http.StatusForbidden},
			"a user with the client's scope": {bearer(m.users.token(person, object{"scope": "hub:user client"})), http.StatusForbidden},
		} {
			if code, body := m.send(t, route{method: method, path: "/event-center/topics"}, c.header); code != c.code {
				t.Errorf("%s: %s answers %d %s, want %d", who, method, code, body, c.code)
			}
		}
	}
}

func TestWithoutAnEventCenterItsPathsAreUnknown(t *testing.T) {
	hub := start(t)
	access := token(t, hub, "erp")
	for _, path := range []string{"", "/", "/topics"} {
		resp, msg := post(t, hub.URL()+"/event-center"+path, access, "{}")
		if resp.StatusCode != http.StatusNotFound || msg != "no such path" || resp.Header.Get("Hub-Origin") != "" {
			t.Errorf("%s: %s %s %v", path, resp.Status, msg, resp.Header)
		}
	}
}
