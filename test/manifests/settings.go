package manifests

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	core "k8s.io/api/core/v1"
)

// checkSettings wants settings that the container's command has and takes, files where they say, and
// a way to each address.
func (c *checker) checkSettings(w workload, k core.Container) {
	if len(k.Args) != 1 || len(k.Command) > 0 {
		c.findf("%s: container %s must have one argument, the command", w.name, k.Name)
		return
	}
	known := c.Binaries.Settings(program(k), k.Args[0])
	environ := map[string]string{}
	for _, v := range c.environ(w, k) {
		environ[v.name] = v.value
		if !strings.HasPrefix(v.name, "HUB_") {
			if !slices.Contains(runtimes, v.name) && !strings.HasPrefix(v.name, "OTEL_") {
				c.findf("%s: container %s has the variable %s", w.name, k.Name, v.name)
			}
			continue
		}
		if _, ok := known[v.name]; !ok {
			c.findf("%s: %s is no setting of %s %s", w.name, v.name, program(k), k.Args[0])
		}
	}
	for name, value := range environ {
		if strings.HasSuffix(name, "_FILE") && value != "" && c.origin(w, k, value) == "" {
			c.findf("%s: %s names %s, which is not mounted", w.name, name, value)
		}
		// Callers come to the public address, the service itself does not.
		if name == "HUB_PUBLIC_URL" {
			continue
		}
		for _, e := range endpoints(value) {
			c.checkReach(w, name, e)
		}
		c.checkTLS(w, environ, name)
	}
	for _, fault := range c.Binaries.Faults(program(k), k.Args[0], environ) {
		c.findf("%s: %s", w.name, fault)
	}
}

// runtimes are the variables of Go that the manifests set.
var runtimes = []string{"GOMEMLIMIT", "SSL_CERT_FILE", authorities}

// endpoint is an address that a setting names.
type endpoint struct {
	host string
	port int32
}

var standardPorts = map[string]int32{"http": 80, "https": 443, "postgres": 5432, "redis": 6379, "rediss": 6379}

// endpoints reads the addresses out of a setting: a URL, a gRPC target, or host:port, several of them
// with commas between them. A setting that is none of this has none.
func endpoints(value string) []endpoint {
	var all []endpoint
	for _, one := range strings.Split(value, ",") {
		var standard int32
		if u, err := url.Parse(one); err == nil && u.Scheme != "" && strings.Contains(one, "://") {
			standard = standardPorts[u.Scheme]
			one = u.Host
			if u.Scheme == "dns" {
				one = strings.TrimPrefix(u.Path, "/")
			}
		}
		host, port, err := net.SplitHostPort(one)
		if err != nil {
			host = one
		}
		number, err := strconv.ParseInt(port, 10, 32)
		if err != nil {
			number = int64(standard)
		}
		if host != "" && number != 0 {
			all = append(all, endpoint{host, int32(number)})
		}
	}
	return all
}

// checkReach wants a Service for an address inside the cluster, and policies that let the pods of w
// through to it.
func (c *checker) checkReach(w workload, setting string, e endpoint) {
	if strings.Contains(e.host, ".") {
		if !c.lets(w, nil, e.port) {
			c.findf("%s: no NetworkPolicy lets %s out to %s:%d", w.name, setting, e.host, e.port)
		}
		return
	}
	targets := c.behind(e.host, e.port)
	if len(targets) == 0 {
		c.findf("%s: %s names %s:%d, which no Service has", w.name, setting, e.host, e.port)
	}
	for _, t := range targets {
		if !c.lets(w, &t.workload, t.port) || !c.admits(t.workload, w, t.port) {
			c.findf("%s: NetworkPolicies do not let %s reach %s:%d", w.name, setting, e.host, t.port)
		}
	}
}
