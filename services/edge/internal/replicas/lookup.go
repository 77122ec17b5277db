package replicas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"google.golang.org/grpc/resolver"
)

const (
	// lookupTimeout bounds one question to DNS.
	lookupTimeout = 5 * time.Second
	// Ports of a target and of a DNS server that name none, as gRPC has them.
	defaultPort    = "443"
	defaultDNSPort = "53"
)

var errNoAddress = errors.New("the name has no address")

// name is a hub's name in DNS.
type name struct {
	host, port string
	resolver   *net.Resolver
}

// parse takes a target dns://server/host:port, of which all but host may be left out.
func parse(t resolver.Target) (name, error) {
	n := name{resolver: net.DefaultResolver}
	var err error
	if n.host, n.port, err = split(t.Endpoint(), defaultPort); err != nil {
		return n, err
	}
	if t.URL.Host == "" {
		return n, nil
	}
	host, port, err := split(t.URL.Host, defaultDNSPort)
	if err != nil {
		return n, fmt.Errorf("DNS server: %w", err)
	}
	n.resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(host, port))
	}}
	return n, nil
}

// split takes host:port. A port that is left out is the usual one, a host before a port is localhost.
func split(address, usual string) (host, port string, err error) {
	if address == "" {
		return "", "", errors.New("there is no name")
	}
	if ip, err := netip.ParseAddr(address); err == nil {
		return ip.String(), usual, nil
	}
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		host, port, err = net.SplitHostPort(address + ":" + usual)
	}
	switch {
	case err != nil:
		return "", "", err
	case port == "":
		return "", "", fmt.Errorf("%s: there is no port after the colon", address)
	}
	return cmp.Or(host, "localhost"), port, nil
}

// lookup gives the addresses of all replicas, in order.
func (n name) lookup(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	ips, err := n.resolver.LookupNetIP(ctx, "ip", n.host)
	if err != nil {
		return nil, err
	}
	if len(ips) == 0 {
		return nil, errNoAddress
	}
	addresses := make([]string, len(ips))
	for i, ip := range ips {
		addresses[i] = net.JoinHostPort(ip.Unmap().String(), n.port)
	}
	slices.Sort(addresses)
	return slices.Compact(addresses), nil
}
