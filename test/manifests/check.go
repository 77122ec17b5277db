package manifests

import (
	"fmt"
	"path"
	"slices"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Surroundings are what the objects of a rendered overlay are checked against.
type Surroundings struct {
	// Binaries are those of the images.
	Binaries *Binaries
	// External are objects that must exist in the namespace without being rendered.
	External Objects
}

// Check tells what is wrong with the objects of one rendered overlay, a sentence each; none if all is
// well.
func Check(objects Objects, s Surroundings) []string {
	c := &checker{objects: objects, Surroundings: s, policies: of[*network.NetworkPolicy](objects)}
	c.collect()
	c.checkNamespace()
	c.checkWorkloads()
	c.checkServices()
	c.checkRoutes()
	c.checkPolicies()
	c.checkKeys()
	c.checkMonitors()
	c.checkScalers()
	c.checkBudgets()
	slices.Sort(c.findings)
	return slices.Compact(c.findings)
}

type checker struct {
	Surroundings
	objects   Objects
	workloads []workload
	policies  []*network.NetworkPolicy
	findings  []string
}

// workload is a Deployment or a StatefulSet.
type workload struct {
	name     string
	selector *meta.LabelSelector
	labels   labels.Set // of its pods
	pod      core.PodTemplateSpec
	replicas *int32
	// deployment is nil for a StatefulSet.
	deployment *apps.Deployment
}

func (c *checker) collect() {
	for _, d := range of[*apps.Deployment](c.objects) {
		c.workloads = append(c.workloads, workload{
			name: d.Name, selector: d.Spec.Selector, labels: d.Spec.Template.Labels,
			pod: d.Spec.Template, replicas: d.Spec.Replicas, deployment: d,
		})
	}
	for _, s := range of[*apps.StatefulSet](c.objects) {
		c.workloads = append(c.workloads, workload{
			name: s.Name, selector: s.Spec.Selector, labels: s.Spec.Template.Labels,
			pod: s.Spec.Template, replicas: s.Spec.Replicas,
		})
	}
}

func (c *checker) findf(format string, args ...any) {
	c.findings = append(c.findings, fmt.Sprintf(format, args...))
}

// selected gives the workloads whose pods a selector selects.
func (c *checker) selected(s *meta.LabelSelector) []workload {
	selector, err := meta.LabelSelectorAsSelector(s)
	if err != nil {
		c.findf("selector %v: %v", s, err)
		return nil
	}
	var some []workload
	for _, w := range c.workloads {
		if selector.Matches(w.labels) {
			some = append(some, w)
		}
	}
	return some
}

// ours tells whether the workload runs one of Hub's services.
func (c *checker) ours(w workload) bool {
	return slices.ContainsFunc(w.pod.Spec.Containers, func(k core.Container) bool { return c.Binaries.Has(program(k)) })
}

// program is the name of a container's image, which for Hub's is that of the binary.
func program(k core.Container) string {
	name := path.Base(k.Image)
	for i, r := range name {
		if r == ':' || r == '@' {
			return name[:i]
		}
	}
	return name
}

// containers are all containers of a pod, those that run before the others first.
func containers(p core.PodSpec) []core.Container {
	return slices.Concat(p.InitContainers, p.Containers)
}

// exposes tells whether a port, by number or name, is one of the workload's pods.
func (w workload) exposes(number int32, name string) bool {
	for _, k := range w.pod.Spec.Containers {
		for _, p := range k.Ports {
			if p.ContainerPort == number || name != "" && p.Name == name {
				return true
			}
		}
	}
	return false
}
