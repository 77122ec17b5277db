package manifests

import (
	"net/url"
	"strings"

	core "k8s.io/api/core/v1"
)

// secure tells whether callers of a workload need TLS.
func (c *checker) secure(w workload) bool {
	for _, k := range w.pod.Spec.Containers {
		if c.Binaries.Has(program(k)) && value(c.environ(w, k), "HUB_TLS_CERT_FILE") != "" {
			return true
		}
	}
	return false
}

// value is that of the last variable of a name.
func value(environ []variable, name string) string {
	found := ""
	for _, v := range environ {
		if v.name == name {
			found = v.value
		}
	}
	return found
}

// checkTLS wants a setting with the address of a service to use TLS if and only if the service does.
func (c *checker) checkTLS(w workload, environ map[string]string, setting string) {
	var speaks bool
	switch {
	case strings.HasSuffix(setting, "_TARGET"):
		speaks = environ["HUB_HUBS_CA_FILE"] != ""
	default:
		u, err := url.Parse(environ[setting])
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return
		}
		speaks = u.Scheme == "https"
	}
	for _, e := range endpoints(environ[setting]) {
		for _, t := range c.behind(e.host, e.port) {
			if c.secure(t.workload) != speaks {
				c.findf("%s: %s and %s do not agree on TLS", w.name, setting, t.name)
			}
		}
	}
}

// checkProbeTLS wants a probe of the admin port to use TLS if and only if the port does.
func (c *checker) checkProbeTLS(w workload, k core.Container, kind string, p *core.HTTPGetAction) {
	secure := value(c.environ(w, k), "HUB_ADMIN_TLS_CERT_FILE") != ""
	if (p.Scheme == core.URISchemeHTTPS) != secure {
		c.findf("%s: the %s probe and the admin port do not agree on TLS", w.name, kind)
	}
}
