// Package forwarded finds the address of a caller behind proxies.
//
// A proxy appends the address that it was called from to X-Forwarded-For, or to Forwarded (RFC 7239).
// What stands further to the left came with the request and may be anything, so the lists are read from
// the right, as far as proxies that are trusted wrote them.
package forwarded

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses of the proxies whose word counts. The zero value trusts none.
type Proxies struct{ networks []netip.Prefix }

// Parse reads networks, such as 10.0.0.0/8, and single addresses. A network of all addresses is refused:
// with it every caller could choose its address.
func Parse(networks []string) (Proxies, error) {
	var p Proxies
	for _, text := range networks {
		network, err := parseNetwork(text)
		if err != nil {
			return Proxies{}, err
		}
		if network.Bits() == 0 {
			return Proxies{}, fmt.Errorf("%s trusts everybody", text)
		}
		p.networks = append(p.networks, network)
	}
	return p, nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("%q is no address and no network in CIDR notation", text)
		}
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil || network.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is no address and no network in CIDR notation", text)
	}
	return network.Masked(), nil
}

func (p Proxies) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// Caller gives the address of whoever sent the request: that of the connection, or what the trusted
// proxies before it tell. Where the two headers tell different callers, one of them came from outside,
// and the address of the connection counts.
func (p Proxies) Caller(r *http.Request) string {
	peer, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	if !p.trusts(peer) {
		return peer.String()
	}
	byList, hasList := p.walk(peer, r.Header["X-Forwarded-For"], addressOf)
	byRFC, hasRFC := p.walk(peer, r.Header["Forwarded"], forOf)
	switch {
	case hasList && hasRFC && byList != byRFC:
		return peer.String()
	case hasList:
		return byList.String()
	case hasRFC:
		return byRFC.String()
	}
	return peer.String()
}

// walk goes from the right over what the lines list, up to the first address that is no trusted proxy's.
// It ends at an entry without an address: nobody vouches for what is left of it. there is false without
// any line.
func (p Proxies) walk(peer netip.Addr, lines []string, read func(entry string) (netip.Addr, bool)) (caller netip.Addr, there bool) {
	caller = peer
	for _, line := range slices.Backward(lines) {
		for line != "" && p.trusts(caller) {
			entry := line
			if i := strings.LastIndexByte(line, ','); i >= 0 {
				line, entry = line[:i], line[i+1:]
			} else {
				line = ""
			}
			next, ok := read(strings.Trim(entry, " \t"))
			if !ok {
				return caller, true
			}
			caller = next
		}
	}
	return caller, len(lines) > 0
}

// addressOf reads an entry of X-Forwarded-For, which some proxies give a port.
func addressOf(entry string) (netip.Addr, bool) { return parseAddress(entry) }

// forOf reads the parameter "for" of an entry of Forwarded (RFC 7239, section 4). A name in the place of
// an address is none. Quoted text with a comma in it cannot be an address, so that nothing is lost by
// having been split there.
func forOf(entry string) (netip.Addr, bool) {
	for pair := range strings.SplitSeq(entry, ";") {
		name, value, _ := strings.Cut(strings.Trim(pair, " \t"), "=")
		if !strings.EqualFold(name, "for") {
			continue
		}
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		return parseAddress(value)
	}
	return netip.Addr{}, false
}

// parseAddress reads an address with or without a port, in brackets or not.
func parseAddress(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	} else if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}, false
	}
	return address.Unmap().WithZone(""), true
}
