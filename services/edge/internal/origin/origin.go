// Package origin knows where web pages come from: it writes their origins as browsers do.
package origin

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

// Of gives the origin of a URL with a host: scheme, host and port, without the port that the scheme has
// anyway (RFC 6454, section 6.2).
func Of(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}

// Loopback tells whether a host, without a port, is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Check tells why text is not the one way to write the origin of a website.
func Check(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", strings.ContainsAny(text, "*?# "):
		return errors.New("must be https://HOST or https://HOST:PORT, or the same with http, without wildcards")
	case Of(u) != text:
		return errors.New("must be an origin as browsers write it: " + Of(u))
	}
	return nil
}
