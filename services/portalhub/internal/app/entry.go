package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"example.com/hub/pkg/field"
)

// checkEntryURL checks where an app begins. The grammar is narrower than that of any parser of URLs, and what it
// takes is written as browsers write it (WHATWG URL, URL serializing): so every one finds the same host in it.
func checkEntryURL(c *field.Checks, text string) {
	c.Text("entry_url", text, field.MaxURL, field.Required)
	if c.Err() != nil {
		return
	}
	if _, err := parseEntry(text); err != nil {
		c.Fail("entry_url", "%s", err)
	}
}

// entry is where an app begins.
type entry struct {
	// origin has no slash at the end, and path has one.
	origin, path string
}

// parseEntry takes an entry URL apart. Its errors go on after the field's name.
func parseEntry(text string) (entry, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "https" && scheme != "http" {
		return entry{}, errors.New("must begin with https://, or on loopback with http://")
	}
	authority, path, ok := strings.Cut(rest, "/")
	if !ok || path != "" && !strings.HasSuffix(path, "/") {
		return entry{}, errors.New("must have a path that ends with a slash, and nothing behind it")
	}
	host, port := cutPort(authority)
	if err := checkHost(host); err != nil {
		return entry{}, err
	}
	if err := checkPort(scheme, port); err != nil {
		return entry{}, err
	}
	if scheme == "http" && !loopback(host) {
		return entry{}, errors.New("must begin with https://, unless its host is localhost or an address of loopback")
	}
	if err := checkPath("/" + path); err != nil {
		return entry{}, err
	}
	return entry{scheme + "://" + authority, "/" + path}, nil
}

// cutPort gives the port with its colon.
func cutPort(authority string) (host, port string) {
	end := strings.LastIndexByte(authority, ']') + 1
	if i := strings.IndexByte(authority[end:], ':'); i >= 0 {
		return authority[:end+i], authority[end+i:]
	}
	return authority, ""
}

func checkPort(scheme, port string) error {
	if port == "" {
		return nil
	}
	n, err := strconv.ParseUint(port[1:], 10, 16)
	usual := map[string]uint64{"https": 443, "http": 80}[scheme]
	if err != nil || n == 0 || n == usual || strconv.FormatUint(n, 10) != port[1:] {
		return fmt.Errorf("must have a port from 1 to 65535 without zeros in front, and none where it is %d", usual)
	}
	return nil
}

var errHost = errors.New("must have a host in small letters, without a user, as browsers write it")

// checkHost wants a name or an address in the one way in which browsers write it.
func checkHost(host string) error {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		if !ok || err != nil || !address.Is6() || address.Is4In6() || address.Zone() != "" || address.String() != inner {
			return errHost
		}
		return nil
	}
	if len(host) > 253 {
		return errHost
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return errHost
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		// Browsers take such a host for an address, however it is written: 127.1 and 0x7f.1 are ones.
		if address, err := netip.ParseAddr(host); err != nil || address.String() != host {
			return errHost
		}
	}
	return nil
}

// isLabel tells whether text is a part of the name of a host.
func isLabel(text string) bool {
	if text == "" || len(text) > 63 || text[0] == '-' || text[len(text)-1] == '-' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !isLower(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	if !strings.HasPrefix(text, "xn--") {
		return true
	}
	ascii, err := idna.Lookup.ToASCII(text)
	return err == nil && ascii == text
}

// loopback tells whether only its own machine reaches a host.
func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
