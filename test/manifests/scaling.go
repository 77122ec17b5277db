package manifests

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// What an edge takes (docs/operations/sizing.md), in bytes.
const (
	edgeBase        = 30 << 20
	streamBytes     = 4 << 10
	streamBytesTLS  = 20 << 10
	socketBytes     = 12 << 10
	socketBytesTLS  = 24 << 10
	memorySuffix    = "_MEMORY"
	mostUtilization = 90
)

// checkScalers wants each HorizontalPodAutoscaler to follow something that there is, with room to grow.
func (c *checker) checkScalers() {
	for _, h := range of[*autoscaling.HorizontalPodAutoscaler](c.objects) {
		for _, m := range h.Spec.Metrics {
			switch {
			case m.Resource != nil:
				if m.Resource.Name != core.ResourceCPU && m.Resource.Name != core.ResourceMemory {
					c.findf("HorizontalPodAutoscaler %s: there is no resource %s", h.Name, m.Resource.Name)
				}
				if u := m.Resource.Target.AverageUtilization; u == nil || *u < 1 || *u > mostUtilization {
					c.findf("HorizontalPodAutoscaler %s: must aim at 1 to %d %% of the request", h.Name, mostUtilization)
				}
			case m.External != nil:
				if !slices.Contains(c.Binaries.metrics, m.External.Metric.Name) {
					c.findf("HorizontalPodAutoscaler %s: Hub has no metric %s", h.Name, m.External.Metric.Name)
				}
			default:
				c.findf("HorizontalPodAutoscaler %s: metrics of the type %s are not known", h.Name, m.Type)
			}
		}
	}
}

// checkStreams wants the streams and sockets that a pod takes to fit into its memory.
func (c *checker) checkStreams(w workload) {
	streams, err := strconv.ParseInt(c.setting(w, "HUB_MAX_STREAMS"), 10, 64)
	if err != nil {
		return // a service without streams
	}
	sockets, err := strconv.ParseInt(c.setting(w, "HUB_MAX_SOCKETS"), 10, 64)
	if err != nil {
		c.findf("%s: HUB_MAX_SOCKETS must be set beside HUB_MAX_STREAMS", w.name)
	}
	need := edgeBase + streams*streamBytes + sockets*socketBytes
	if c.secure(w) {
		need = edgeBase + streams*streamBytesTLS + sockets*socketBytesTLS
	}
	for name := range c.settings(w) {
		if bytes, err := strconv.ParseInt(c.setting(w, name), 10, 64); err == nil && strings.HasSuffix(name, memorySuffix) {
			need += bytes
		}
	}
	soft := value(c.environ(w, w.pod.Spec.Containers[0]), "GOMEMLIMIT")
	limit, err := resource.ParseQuantity(strings.TrimSuffix(soft, "B"))
	if err == nil && need > limit.Value() {
		c.findf("%s: HUB_MAX_STREAMS=%d needs %d MiB beside HUB_MAX_SOCKETS=%d, and GOMEMLIMIT is %s", w.name, streams, need>>20, sockets, soft)
	}
}

// Budget is what the pods of a hub may take of a PostgreSQL.
type Budget struct {
	Hub, Database string
	// Pods are all that may run at once: those of the autoscaler's maximum, the new one of an update, and
	// old ones that have not ended yet.
	Pods int
	// Each is how many connections a pod may have.
	Each int
}

// Connections is the product.
func (b Budget) Connections() int { return b.Pods * b.Each }

// stopMost is the longest that a pod serves on after HUB_DRAIN_DELAY.
const stopMost = 15 * time.Second

// Budgets gives those of all hubs of a rendered overlay.
func Budgets(objects Objects, s Surroundings) []Budget {
	c := &checker{objects: objects, Surroundings: s}
	c.collect()
	return c.budgets()
}

func (c *checker) budgets() []Budget {
	var all []Budget
	for _, w := range c.workloads {
		if !c.ours(w) || w.deployment == nil {
			continue
		}
		calls, err := strconv.Atoi(c.setting(w, "HUB_DATABASE_MAX_CONNS"))
		if err != nil {
			continue
		}
		pods := 1
		if w.replicas != nil {
			pods = int(*w.replicas)
		}
		for _, h := range of[*autoscaling.HorizontalPodAutoscaler](c.objects) {
			if h.Spec.ScaleTargetRef.Name == w.name {
				pods = int(h.Spec.MaxReplicas)
			}
		}
		if r := w.deployment.Spec.Strategy.RollingUpdate; r != nil && r.MaxSurge != nil {
			pods += r.MaxSurge.IntValue()
		}
		// An update ends a pod each minReadySeconds, and a pod takes its time to end.
		drain, _ := time.ParseDuration(c.setting(w, "HUB_DRAIN_DELAY"))
		if ready := time.Duration(w.deployment.Spec.MinReadySeconds) * time.Second; ready > 0 {
			pods += int((drain + stopMost + ready - 1) / ready)
		}
		database, _ := url.Parse(c.setting(w, "HUB_DATABASE_URL"))
		b := Budget{Hub: w.name, Pods: pods, Each: calls + 1}
		if database != nil {
			b.Database = database.Host
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b Budget) int { return strings.Compare(a.Hub, b.Hub) })
	return all
}

// defaultConnections is what PostgreSQL leaves to others by default: 100, less 3 for its administrator.
const defaultConnections = 97

// checkBudgets wants the hubs of a PostgreSQL in the same namespace to fit into its default.
func (c *checker) checkBudgets() {
	sums := map[string]int{}
	for _, b := range c.budgets() {
		if host, _, err := net.SplitHostPort(b.Database); err == nil && !strings.Contains(host, ".") {
			sums[host] += b.Connections()
		}
	}
	for host, sum := range sums {
		if sum > defaultConnections {
			c.findf("%s: the hubs may take %d connections, and PostgreSQL allows %d", host, sum, defaultConnections)
		}
	}
}
