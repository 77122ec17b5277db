package manifests

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
)

const (
	// streamIdle is how long a stream may be quiet between two heartbeats.
	streamIdle = time.Minute
	// admin is the name of the port that serves metrics and probes.
	admin = "admin"
)

// endless are the calls whose answers may have no end: streams, WebSockets and what the event center streams.
var endless = []string{"/message-hub/stream", "/message-hub/ws", "/event-center/topics"}

// internal are the gRPC services that are none of the callers' business.
var internal = []string{"/hub.event.v1.EventService"}

var servicePattern = regexp.MustCompile(`^/hub\.[a-z]+\.v1\.[A-Z][A-Za-z]*Service$`)

// checkRoutes wants each way in to lead to a port of a Service, to speak TLS if its pods do, to be let
// through, and to leave a call its time.
func (c *checker) checkRoutes() {
	c.checkCertificates()
	all := c.ways()
	for i, w := range all {
		if w.port == 0 {
			c.findf("%s: %s has no such port", w.route, w.service)
		}
		for _, t := range c.behind(w.service, w.port) {
			if c.secure(t.workload) != w.secure {
				c.findf("%s: it and %s do not agree on TLS", w.route, t.name)
			}
			if !c.admitsSpace(t, w.spaces) {
				c.findf("%s: no NetworkPolicy lets it in to %s", w.route, t.name)
			}
			if t.portName() == "grpc" {
				if !servicePattern.MatchString(w.path) || slices.Contains(internal, w.path) {
					c.findf("%s: %s of %s is not for callers", w.route, w.path, t.name)
				}
				continue
			}
			c.checkTime(w, t, slices.ContainsFunc(endless, func(path string) bool { return i == wayOf(all, path) }))
		}
	}
}

// wayOf gives the index of the way that a path takes: that of the whole path, or of its longest part.
func wayOf(all []way, path string) int {
	best, length := -1, -1
	for i, w := range all {
		switch {
		case w.exact && w.path == path:
			return i
		case !w.exact && strings.HasPrefix(path, w.path) && len(w.path) > length:
			best, length = i, len(w.path)
		}
	}
	return best
}

// checkTime wants streams without an end, and other answers to come through when they are slow.
func (c *checker) checkTime(w way, t backend, streams bool) {
	switch longest, _ := time.ParseDuration(c.setting(t.workload, "HUB_ANSWER_TIMEOUT")); {
	case streams:
		if w.limit < 0 || w.limit > 0 && !w.idle || w.idle && w.limit < streamIdle {
			c.findf("%s: it ends streams", w.route)
		}
		if w.buffered {
			c.findf("%s: it holds back events", w.route)
		}
	case w.limit < 0 || w.limit > 0 && w.limit <= longest:
		c.findf("%s: answers may take HUB_ANSWER_TIMEOUT, %v", w.route, longest)
	}
	if largest, _ := strconv.ParseInt(c.setting(t.workload, "HUB_MAX_BODY"), 10, 64); w.body > 0 && w.body < largest && !streams {
		c.findf("%s: requests may have HUB_MAX_BODY, %d bytes", w.route, largest)
	}
}

// checkWays wants what leads to and from the pods of a service besides the calls: names, the monitoring,
// and the addresses of callers.
func (c *checker) checkWays(w workload) {
	if !c.resolves(w) {
		c.findf("%s: no NetworkPolicy lets it ask the DNS", w.name)
	}
	for _, k := range w.pod.Spec.Containers {
		for _, p := range k.Ports {
			if p.Name != admin {
				continue
			}
			if !c.admitsSpace(backend{w, p.ContainerPort}, []string{"monitoring"}) {
				c.findf("%s: no NetworkPolicy lets the monitoring in", w.name)
			}
			// The default is loopback, which neither the kubelet nor the monitoring reaches.
			if address := value(c.environ(w, k), "HUB_ADMIN_ADDR"); address != ":"+strconv.Itoa(int(p.ContainerPort)) {
				c.findf("%s: HUB_ADMIN_ADDR is %q, and the probes ask port %d of the pod", w.name, address, p.ContainerPort)
			}
		}
	}
	if _, ok := c.settings(w)["HUB_INTERNAL_CLIENT_NAMES"]; ok && c.setting(w, "HUB_TLS_CLIENT_CA_FILE") != "" && c.setting(w, "HUB_INTERNAL_CLIENT_NAMES") == "" {
		c.findf("%s: HUB_INTERNAL_CLIENT_NAMES is empty although client certificates are verified", w.name)
	}
	if _, ok := c.settings(w)["HUB_TRUSTED_PROXIES"]; ok && c.setting(w, "HUB_TRUSTED_PROXIES") == "" && c.fronted(w) {
		c.findf("%s: HUB_TRUSTED_PROXIES is empty although a proxy is in front", w.name)
	}
	for name := range c.settings(w) {
		target, dns := strings.CutPrefix(c.setting(w, name), "dns:///")
		if !dns {
			continue
		}
		for _, e := range endpoints(target) {
			for _, s := range of[*core.Service](c.objects) {
				if s.Name == e.host && s.Spec.ClusterIP != core.ClusterIPNone {
					c.findf("%s: %s names the one address of %s, so calls do not spread over its pods", w.name, name, s.Name)
				}
			}
		}
	}
}

// checkLogin wants the way in from the public host to lead browsers to the login: one of another host would
// send them to the public one.
func (c *checker) checkLogin(w workload) {
	public, err := url.Parse(c.setting(w, "HUB_PUBLIC_URL"))
	if c.setting(w, "HUB_LOGIN_CLIENT_ID") == "" || err != nil || !c.fronted(w) {
		return
	}
	const login = "/portal/login"
	all := slices.DeleteFunc(c.ways(), func(in way) bool {
		return len(in.hosts) > 0 && !slices.Contains(in.hosts, public.Hostname())
	})
	if i := wayOf(all, login); i < 0 || !slices.ContainsFunc(c.behind(all[i].service, all[i].port), func(b backend) bool { return b.name == w.name }) {
		c.findf("%s: no way in leads from %s%s to it, where users log in", w.name, public.Host, login)
	}
}

// fronted tells whether a way leads to a workload.
func (c *checker) fronted(w workload) bool {
	return slices.ContainsFunc(c.ways(), func(in way) bool {
		return slices.ContainsFunc(c.behind(in.service, in.port), func(b backend) bool { return b.name == w.name })
	})
}

// settings gives the defaults of the settings of a workload's service.
func (c *checker) settings(w workload) map[string]string {
	return c.Binaries.Settings(program(w.pod.Spec.Containers[0]), "serve")
}

// setting gives what a setting of a workload's service is: its default unless the pod says something.
func (c *checker) setting(w workload, name string) string {
	if v := value(c.environ(w, w.pod.Spec.Containers[0]), name); v != "" {
		return v
	}
	return c.settings(w)[name]
}

// portName gives the name of the port.
func (b backend) portName() string {
	for _, k := range b.pod.Spec.Containers {
		if name := named(k, b.port, ""); name != "" {
			return name
		}
	}
	return ""
}

// spaceLabel is the label that Kubernetes gives each namespace: its name.
const spaceLabel = "kubernetes.io/metadata.name"

// admitsSpace tells whether policies let all pods of the namespaces in; of any one, if there are none.
func (c *checker) admitsSpace(b backend, names []string) bool {
	if names == nil {
		names = []string{""}
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(c.policies, func(p *network.NetworkPolicy) bool {
			return governs(p, network.PolicyTypeIngress) && selects(c.selected(&p.Spec.PodSelector), b.workload) &&
				slices.ContainsFunc(p.Spec.Ingress, func(r network.NetworkPolicyIngressRule) bool {
					return opens(r.Ports, b.port) && slices.ContainsFunc(r.From, func(from network.NetworkPolicyPeer) bool { return isSpace(from, name) })
				})
		})
	})
}

// isSpace tells whether a peer is a namespace of this name, or of any name if it is empty.
func isSpace(p network.NetworkPolicyPeer, name string) bool {
	if p.NamespaceSelector == nil {
		return false
	}
	own := p.NamespaceSelector.MatchLabels[spaceLabel]
	return own != "" && (name == "" || own == name)
}

// resolves tells whether policies let the pods of w ask the cluster's DNS in both ways.
func (c *checker) resolves(w workload) bool {
	open := map[core.Protocol]bool{}
	for _, p := range c.policies {
		if !governs(p, network.PolicyTypeEgress) || !selects(c.selected(&p.Spec.PodSelector), w) {
			continue
		}
		for _, rule := range p.Spec.Egress {
			for _, port := range rule.Ports {
				if port.Protocol != nil && opens([]network.NetworkPolicyPort{port}, 53) &&
					slices.ContainsFunc(rule.To, func(to network.NetworkPolicyPeer) bool { return isSpace(to, "kube-system") }) {
					open[*port.Protocol] = true
				}
			}
		}
	}
	return open[core.ProtocolUDP] && open[core.ProtocolTCP]
}
