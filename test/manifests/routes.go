package manifests

import (
	"slices"
	"strconv"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

// Annotations of ingress-nginx.
const (
	backendProtocol = "nginx.ingress.kubernetes.io/backend-protocol"
	readTimeout     = "nginx.ingress.kubernetes.io/proxy-read-timeout"
	buffering       = "nginx.ingress.kubernetes.io/proxy-buffering"
	bodySize        = "nginx.ingress.kubernetes.io/proxy-body-size"
)

// way is a path from outside the cluster to a port of a Service.
type way struct {
	// route is the kind and the name of the object.
	route string
	// hosts are those that callers name; empty is any.
	hosts []string
	// path begins with a slash; of gRPC it is the service.
	path  string
	exact bool
	// service and port are what it leads to; port is 0 when the Service has no such port.
	service string
	port    int32
	// spaces are the namespaces of the Gateways; nil is that of the Ingress controller.
	spaces []string
	// secure says that the pods are spoken to with TLS.
	secure bool
	// limit is how long an answer may take; 0 is without an end, and less than 0 is not said.
	limit time.Duration
	// idle says that limit is the time between two parts of an answer.
	idle bool
	// buffered says that parts of an answer may wait for others.
	buffered bool
	// body is the largest request in bytes; 0 is not said.
	body int64
}

// ways gives those of all Ingresses, HTTPRoutes and GRPCRoutes.
func (c *checker) ways() []way {
	var all []way
	for _, i := range of[*network.Ingress](c.objects) {
		all = append(all, c.ingressWays(i)...)
	}
	for _, r := range of[*gateway.HTTPRoute](c.objects) {
		for _, rule := range r.Spec.Rules {
			matches := rule.Matches
			if len(matches) == 0 {
				matches = []gateway.HTTPRouteMatch{{}}
			}
			for _, m := range matches {
				w := way{route: "HTTPRoute " + r.Name, hosts: hosts(r.Spec.Hostnames), path: "/", spaces: spaces(r.Spec.ParentRefs), limit: shortest(rule.Timeouts)}
				if m.Path != nil && m.Path.Value != nil {
					w.path, w.exact = *m.Path.Value, m.Path.Type != nil && *m.Path.Type == gateway.PathMatchExact
				}
				for _, b := range rule.BackendRefs {
					all = append(all, c.leading(w, b.BackendRef))
				}
			}
		}
	}
	for _, r := range of[*gateway.GRPCRoute](c.objects) {
		for _, rule := range r.Spec.Rules {
			paths := []string{"/"}
			if len(rule.Matches) > 0 {
				paths = nil
			}
			for _, m := range rule.Matches {
				paths = append(paths, servicePath(m.Method))
			}
			for _, path := range paths {
				for _, b := range rule.BackendRefs {
					all = append(all, c.leading(way{route: "GRPCRoute " + r.Name, hosts: hosts(r.Spec.Hostnames), spaces: spaces(r.Spec.ParentRefs), path: path}, b.BackendRef))
				}
			}
		}
	}
	return all
}

// leading completes a way with where it leads.
func (c *checker) leading(w way, b gateway.BackendRef) way {
	w.service = string(b.Name)
	if b.Port != nil {
		w.port = c.servicePort(w.service, *b.Port, "")
	}
	for _, p := range of[*gateway.BackendTLSPolicy](c.objects) {
		for _, t := range p.Spec.TargetRefs {
			w.secure = w.secure || t.Kind == "Service" && string(t.Name) == w.service
		}
	}
	return w
}

func (c *checker) ingressWays(i *network.Ingress) []way {
	w := way{
		route: "Ingress " + i.Name, idle: true, limit: time.Minute,
		secure:   strings.HasSuffix(i.Annotations[backendProtocol], "S"),
		buffered: i.Annotations[buffering] != "off",
		body:     1 << 20,
	}
	if seconds, err := strconv.Atoi(i.Annotations[readTimeout]); err == nil {
		w.limit = time.Duration(seconds) * time.Second
	}
	if megabytes, err := strconv.ParseInt(strings.TrimSuffix(i.Annotations[bodySize], "m"), 10, 64); err == nil {
		w.body = megabytes << 20
	}
	var all []way
	for _, r := range i.Spec.Rules {
		for _, p := range r.HTTP.Paths {
			w.hosts = []string{r.Host}
			w.path, w.exact = p.Path, p.PathType != nil && *p.PathType == network.PathTypeExact
			w.service = p.Backend.Service.Name
			w.port = c.servicePort(w.service, p.Backend.Service.Port.Number, p.Backend.Service.Port.Name)
			all = append(all, w)
		}
	}
	return all
}

// servicePort gives the number of a Service's port; 0 if it has none of this number or name.
func (c *checker) servicePort(service string, number int32, name string) int32 {
	for _, s := range of[*core.Service](c.objects) {
		for _, p := range s.Spec.Ports {
			if s.Name == service && (p.Port == number || name != "" && p.Name == name) {
				return p.Port
			}
		}
	}
	return 0
}

func spaces(gateways []gateway.ParentReference) []string {
	var names []string
	for _, g := range gateways {
		if g.Namespace != nil {
			names = append(names, string(*g.Namespace))
		}
	}
	return names
}

func hosts(names []gateway.Hostname) []string {
	var all []string
	for _, name := range names {
		all = append(all, string(name))
	}
	return all
}

// shortest gives the time that an answer may take; what is not set is up to the Gateway.
func shortest(t *gateway.HTTPRouteTimeouts) time.Duration {
	const unsaid = -1
	if t == nil || t.Request == nil || t.BackendRequest == nil {
		return unsaid
	}
	var limit time.Duration
	for _, text := range []gateway.Duration{*t.Request, *t.BackendRequest} {
		d, err := time.ParseDuration(string(text))
		switch {
		case err != nil:
			return unsaid
		case d != 0 && (limit == 0 || d < limit):
			limit = d
		}
	}
	return limit
}

// servicePath is the path of the one service that a match lets through, or that of all.
func servicePath(m *gateway.GRPCMethodMatch) string {
	if m == nil || m.Service == nil || m.Type != nil && *m.Type != gateway.GRPCMethodMatchExact {
		return "/"
	}
	return "/" + *m.Service
}

// checkCertificates wants a Secret for each host of an Ingress.
func (c *checker) checkCertificates() {
	for _, i := range of[*network.Ingress](c.objects) {
		for _, t := range i.Spec.TLS {
			if c.data("Secret", t.SecretName) == nil {
				c.findf("Ingress %s: there is no Secret %s", i.Name, t.SecretName)
			}
		}
		for _, r := range i.Spec.Rules {
			if !slices.ContainsFunc(i.Spec.TLS, func(t network.IngressTLS) bool { return slices.Contains(t.Hosts, r.Host) }) {
				c.findf("Ingress %s: no certificate for %q", i.Name, r.Host)
			}
		}
	}
	for _, p := range of[*gateway.BackendTLSPolicy](c.objects) {
		for _, t := range p.Spec.TargetRefs {
			if string(p.Spec.Validation.Hostname) != string(t.Name) {
				c.findf("BackendTLSPolicy %s: the certificate of %s is not for %s", p.Name, t.Name, p.Spec.Validation.Hostname)
			}
		}
		for _, ca := range p.Spec.Validation.CACertificateRefs {
			if _, ok := c.data(string(ca.Kind), string(ca.Name))["ca.crt"]; !ok {
				c.findf("BackendTLSPolicy %s: there is no key ca.crt in a %s %s", p.Name, ca.Kind, ca.Name)
			}
		}
	}
}
