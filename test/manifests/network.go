package manifests

import (
	"slices"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// backend is a port of a workload.
type backend struct {
	workload
	port int32
}

// claims gives the names of the volumes that a StatefulSet makes itself.
func (c *checker) claims(w workload) []string {
	var names []string
	for _, s := range of[*apps.StatefulSet](c.objects) {
		if s.Name == w.name && w.deployment == nil {
			for _, v := range s.Spec.VolumeClaimTemplates {
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// checkServices wants each Service to select one workload and to lead to ports that it has.
func (c *checker) checkServices() {
	for _, s := range of[*core.Service](c.objects) {
		pods := c.selected(&meta.LabelSelector{MatchLabels: s.Spec.Selector})
		if len(s.Spec.Selector) == 0 || len(pods) != 1 {
			c.findf("Service %s selects the pods of %d workloads", s.Name, len(pods))
			continue
		}
		for _, p := range s.Spec.Ports {
			if !pods[0].exposes(p.TargetPort.IntVal, p.TargetPort.StrVal) {
				c.findf("Service %s: %s has no port %s", s.Name, pods[0].name, p.TargetPort.String())
			}
		}
	}
}

// behind gives what stands behind a port of a Service.
func (c *checker) behind(service string, port int32) []backend {
	var all []backend
	for _, s := range of[*core.Service](c.objects) {
		if s.Name != service {
			continue
		}
		for _, p := range s.Spec.Ports {
			if p.Port != port {
				continue
			}
			for _, w := range c.selected(&meta.LabelSelector{MatchLabels: s.Spec.Selector}) {
				for _, k := range w.pod.Spec.Containers {
					for _, own := range k.Ports {
						if own.Name == p.TargetPort.StrVal || own.ContainerPort == p.TargetPort.IntVal {
							all = append(all, backend{w, own.ContainerPort})
						}
					}
				}
			}
		}
	}
	return all
}

// checkPolicies wants each policy to name peers and ports that exist, and one that denies the rest.
func (c *checker) checkPolicies() {
	denied := false
	for _, p := range c.policies {
		denied = denied || p.Spec.PodSelector.Size() == 0 && len(p.Spec.Ingress)+len(p.Spec.Egress) == 0 &&
			governs(p, network.PolicyTypeIngress) && governs(p, network.PolicyTypeEgress)
		pods := c.selected(&p.Spec.PodSelector)
		for _, rule := range p.Spec.Ingress {
			c.checkPeers(p, rule.From)
			c.checkPorts(p, pods, rule.Ports)
		}
		for _, rule := range p.Spec.Egress {
			c.checkPorts(p, c.checkPeers(p, rule.To), rule.Ports)
		}
	}
	if !denied {
		c.findf("no NetworkPolicy denies what the others do not allow")
	}
}

// checkPeers gives the workloads of the same namespace among the peers.
func (c *checker) checkPeers(p *network.NetworkPolicy, peers []network.NetworkPolicyPeer) []workload {
	var all []workload
	for _, peer := range peers {
		if peer.PodSelector == nil || peer.NamespaceSelector != nil {
			continue
		}
		pods := c.selected(peer.PodSelector)
		if len(pods) == 0 {
			c.findf("NetworkPolicy %s: a peer selects no pods", p.Name)
		}
		all = append(all, pods...)
	}
	return all
}

func (c *checker) checkPorts(p *network.NetworkPolicy, pods []workload, ports []network.NetworkPolicyPort) {
	for _, w := range pods {
		for _, port := range ports {
			if !w.exposes(port.Port.IntVal, port.Port.StrVal) {
				c.findf("NetworkPolicy %s: %s has no port %s", p.Name, w.name, port.Port.String())
			}
		}
	}
}

// lets tells whether a policy lets the pods of w out to a port of another workload, or of anything
// outside the cluster if to is nil.
func (c *checker) lets(w workload, to *workload, port int32) bool {
	for _, p := range c.policies {
		if !governs(p, network.PolicyTypeEgress) || !selects(c.selected(&p.Spec.PodSelector), w) {
			continue
		}
		for _, rule := range p.Spec.Egress {
			if opens(rule.Ports, port) && c.among(rule.To, to) {
				return true
			}
		}
	}
	return false
}

// admits tells whether a policy lets the pods of from in to a port of w.
func (c *checker) admits(w, from workload, port int32) bool {
	for _, p := range c.policies {
		if !governs(p, network.PolicyTypeIngress) || !selects(c.selected(&p.Spec.PodSelector), w) {
			continue
		}
		for _, rule := range p.Spec.Ingress {
			if opens(rule.Ports, port) && c.among(rule.From, &from) {
				return true
			}
		}
	}
	return false
}

// among tells whether a workload, or anything outside the cluster if it is nil, is one of the peers.
// No peers at all means everything.
func (c *checker) among(peers []network.NetworkPolicyPeer, w *workload) bool {
	for _, peer := range peers {
		if w == nil && peer.IPBlock != nil {
			return true
		}
		if w != nil && peer.PodSelector != nil && peer.NamespaceSelector == nil && selects(c.selected(peer.PodSelector), *w) {
			return true
		}
	}
	return len(peers) == 0
}

func opens(ports []network.NetworkPolicyPort, port int32) bool {
	return slices.ContainsFunc(ports, func(p network.NetworkPolicyPort) bool {
		return p.Port != nil && *p.Port == intstr.FromInt32(port)
	})
}

func governs(p *network.NetworkPolicy, t network.PolicyType) bool {
	return slices.Contains(p.Spec.PolicyTypes, t)
}
