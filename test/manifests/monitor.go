package manifests

import (
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)

// checkMonitors wants each PodMonitor to select every service, by a port that its pods have and that
// policies open to the monitoring, under the name of the service.
func (c *checker) checkMonitors() {
	for _, m := range of[*monitoring.PodMonitor](c.objects) {
		selected := c.selected(&m.Spec.Selector)
		for _, w := range c.workloads {
			if c.ours(w) && !has(selected, w) {
				c.findf("PodMonitor %s: does not select %s", m.Name, w.name)
			}
		}
		for _, w := range selected {
			if w.labels[m.Spec.JobLabel] != w.name {
				c.findf("PodMonitor %s: %s is the job %q", m.Name, w.name, w.labels[m.Spec.JobLabel])
			}
			for _, e := range m.Spec.PodMetricsEndpoints {
				if e.Port == nil || !w.exposes(0, *e.Port) {
					c.findf("PodMonitor %s: %s has no such port", m.Name, w.name)
				} else if *e.Port != admin {
					c.findf("PodMonitor %s: the port %s serves no metrics", m.Name, *e.Port)
				}
			}
		}
	}
}

func has(some []workload, one workload) bool {
	for _, w := range some {
		if w.name == one.name {
			return true
		}
	}
	return false
}
