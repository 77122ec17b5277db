package manifests

import (
	"time"

	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	security "k8s.io/pod-security-admission/api"
	standards "k8s.io/pod-security-admission/policy"
)

// stopGrace is what a stop may take besides HUB_DRAIN_DELAY and HUB_DRAIN_SPREAD, at the least.
const stopGrace = 10 * time.Second

// checkNamespace wants everything in one namespace, which enforces the restricted Pod Security
// Standard.
func (c *checker) checkNamespace() {
	spaces := of[*core.Namespace](c.objects)
	if len(spaces) != 1 {
		c.findf("there are %d namespaces", len(spaces))
		return
	}
	if level := spaces[0].Labels[security.EnforceLevelLabel]; level != string(security.LevelRestricted) {
		c.findf("Namespace %s enforces the Pod Security Standard %q", spaces[0].Name, level)
	}
	for _, o := range c.objects {
		a, err := meta.Accessor(o)
		if err != nil {
			c.findf("%T: %v", o, err)
			continue
		}
		if _, space := o.(*core.Namespace); !space && a.GetNamespace() != spaces[0].Name {
			c.findf("%T %s is in the namespace %q", o, a.GetName(), a.GetNamespace())
		}
	}
}

func (c *checker) checkWorkloads() {
	evaluator, err := standards.NewEvaluator(standards.DefaultChecks(), nil)
	if err != nil {
		c.findf("Pod Security Standards: %v", err)
		return
	}
	restricted := security.LevelVersion{Level: security.LevelRestricted, Version: security.LatestVersion()}
	for _, w := range c.workloads {
		if own := c.selected(w.selector); len(own) != 1 || own[0].name != w.name {
			c.findf("%s: its selector selects the pods of %d workloads", w.name, len(own))
		}
		verdict := standards.AggregateCheckResults(evaluator.EvaluatePod(restricted, &w.pod.ObjectMeta, &w.pod.Spec))
		if !verdict.Allowed {
			c.findf("%s: Pod Security forbids %s", w.name, verdict.ForbiddenDetail())
		}
		c.checkCompanions(w)
		c.checkReferences(w)
		if c.ours(w) {
			c.checkRollout(w)
			c.checkContainers(w)
			c.checkAuthorities(w)
			c.checkWays(w)
			c.checkLogin(w)
			c.checkStreams(w)
		}
	}
}

// checkCompanions wants the objects that a workload needs beside it.
func (c *checker) checkCompanions(w workload) {
	budget, guarded := false, false
	for _, b := range of[*policy.PodDisruptionBudget](c.objects) {
		if selects(c.selected(b.Spec.Selector), w) {
			budget = b.Spec.MaxUnavailable != nil && *b.Spec.MaxUnavailable == intstr.FromInt32(1)
			if p := b.Spec.UnhealthyPodEvictionPolicy; p == nil || *p != policy.AlwaysAllow {
				c.findf("%s: pods that are not ready cannot be evicted", w.name)
			}
		}
	}
	for _, p := range c.policies {
		if p.Spec.PodSelector.Size() > 0 && selects(c.selected(&p.Spec.PodSelector), w) {
			guarded = guarded || governs(p, network.PolicyTypeIngress) && governs(p, network.PolicyTypeEgress)
		}
	}
	if !budget {
		c.findf("%s: no PodDisruptionBudget with maxUnavailable 1", w.name)
	}
	if !guarded {
		c.findf("%s: no NetworkPolicy of its own for both directions", w.name)
	}

	pod := w.pod.Spec
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		c.findf("%s: its pods get a token of the ServiceAccount", w.name)
	}
	account := false
	for _, a := range of[*core.ServiceAccount](c.objects) {
		account = account || a.Name == w.name
	}
	if !account || pod.ServiceAccountName != w.name {
		c.findf("%s: no ServiceAccount of its own", w.name)
	}
}

// checkRollout wants updates that no caller notices.
func (c *checker) checkRollout(w workload) {
	if w.deployment == nil {
		c.findf("%s: is no Deployment", w.name)
		return
	}
	spec := w.deployment.Spec
	if r := spec.Strategy.RollingUpdate; r == nil ||
		r.MaxUnavailable == nil || *r.MaxUnavailable != intstr.FromInt32(0) || r.MaxSurge == nil || *r.MaxSurge != intstr.FromInt32(1) {
		c.findf("%s: an update must have maxUnavailable 0 and maxSurge 1", w.name)
	}
	if spec.MinReadySeconds < 10 {
		c.findf("%s: minReadySeconds is %d", w.name, spec.MinReadySeconds)
	}
	var drain time.Duration
	for _, v := range c.environ(w, w.pod.Spec.Containers[0]) {
		if v.name == "HUB_DRAIN_DELAY" || v.name == "HUB_DRAIN_SPREAD" {
			d, err := time.ParseDuration(v.value)
			if err != nil || d <= 0 {
				c.findf("%s: %s is %q", w.name, v.name, v.value)
			}
			drain += d
		}
	}
	if drain == 0 {
		c.findf("%s: HUB_DRAIN_DELAY is not set", w.name)
	}
	grace := w.pod.Spec.TerminationGracePeriodSeconds
	if grace == nil || time.Duration(*grace)*time.Second <= drain+stopGrace {
		c.findf("%s: terminationGracePeriodSeconds must be more than %v", w.name, drain+stopGrace)
	}
}

// checkContainers wants settings that the binary takes, probes that it answers, and a memory limit
// that Go knows of.
func (c *checker) checkContainers(w workload) {
	for _, k := range containers(w.pod.Spec) {
		if !c.Binaries.Has(program(k)) {
			c.findf("%s: container %s is none of Hub's", w.name, k.Name)
			continue
		}
		c.checkSettings(w, k)
	}
	for _, k := range w.pod.Spec.Containers {
		c.checkProbe(w, k, "liveness", k.LivenessProbe, "/livez")
		c.checkProbe(w, k, "readiness", k.ReadinessProbe, "/readyz")
		c.checkMemory(w, k)
	}
}

func (c *checker) checkProbe(w workload, k core.Container, kind string, p *core.Probe, wantPath string) {
	if p == nil {
		return // kube-score finds that
	}
	if p.HTTPGet == nil { // the gRPC probe speaks no TLS
		c.findf("%s: the %s probe is not HTTP", w.name, kind)
		return
	}
	if p.HTTPGet.Path != wantPath {
		c.findf("%s: the %s probe asks for %s", w.name, kind, p.HTTPGet.Path)
	}
	if named(k, p.HTTPGet.Port.IntVal, p.HTTPGet.Port.StrVal) != "admin" {
		c.findf("%s: the %s probe is not on the admin port", w.name, kind)
	}
	c.checkProbeTLS(w, k, kind, p.HTTPGet)
}

// named gives the name of a container's port.
func named(k core.Container, number int32, name string) string {
	for _, p := range k.Ports {
		if p.ContainerPort == number || name != "" && p.Name == name {
			return p.Name
		}
	}
	return ""
}

func (c *checker) checkMemory(w workload, k core.Container) {
	limit := k.Resources.Limits.Memory()
	for _, v := range k.Env {
		if v.Name != "GOMEMLIMIT" {
			continue
		}
		// Go writes MiB where Kubernetes writes Mi.
		soft, err := resource.ParseQuantity(v.Value[:max(0, len(v.Value)-1)])
		if err != nil {
			c.findf("%s: GOMEMLIMIT: %v", w.name, err)
			return
		}
		if part := float64(soft.Value()) / float64(limit.Value()); part < 0.8 || part > 0.95 {
			c.findf("%s: GOMEMLIMIT is %.0f %% of the memory limit", w.name, 100*part)
		}
		return
	}
	c.findf("%s: no GOMEMLIMIT", w.name)
}

func selects(some []workload, w workload) bool {
	for _, s := range some {
		if s.name == w.name {
			return true
		}
	}
	return false
}
