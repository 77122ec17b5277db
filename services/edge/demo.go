package edge

import (
	"net"
	"net/url"

	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/origin"
)

// Loopback tells whether only its own machine reaches an address, host:port.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && origin.Loopback(host)
}

// DemoHosts are the hosts by which an edge at addr may be called, for Deps.Hosts; nil is any. With demo
// clients on loopback they are few. Otherwise any website could call Hub from the browser of its user: by a
// name of its own that it points to 127.0.0.1 (DNS rebinding), and with the secrets that everybody knows.
func DemoHosts(i *issuer.Issuer, addr string) []string {
	if !i.Demo() || !Loopback(addr) {
		return nil
	}
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if public, err := url.Parse(i.Issuer()); err == nil {
		hosts = append(hosts, public.Hostname())
	}
	return hosts
}
