package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/hub/services/edge/internal/front"
)

var wrongHost = front.Failure{Status: http.StatusForbidden, Msg: "this host is not served here"}

// calledByName tells whether the caller may use the host that it asks for, whatever the port.
func (h *Handler) calledByName(r *http.Request) bool {
	if h.hosts == nil {
		return true
	}
	name := (&url.URL{Host: r.Host}).Hostname()
	return slices.ContainsFunc(h.hosts, func(host string) bool { return strings.EqualFold(host, name) })
}
