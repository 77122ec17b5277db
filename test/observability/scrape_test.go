package observability_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"go.yaml.in/yaml/v3"
	apps "k8s.io/api/apps/v1"

	"example.com/hub/test/manifests"
	"example.com/hub/test/shape"
	"example.com/hub/test/source"
)

// TestScrapeFindsTheAdminPorts lets the scrape of prometheus.yaml choose among the ports of the pods that
// the manifests make, and wants each service's admin port under the name of the service, and no other.
func TestScrapeFindsTheAdminPorts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "prometheus.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Scrapes []struct {
			Relabel []*relabel.Config `yaml:"relabel_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	steps := settings.Scrapes[0].Relabel
	for _, step := range steps {
		if err := step.Validate(model.UTF8Validation); err != nil {
			t.Fatal(err)
		}
	}
	for _, service := range shape.Services() {
		scraped := 0
		for _, meta := range ports(t, service) {
			kept := labels.NewBuilder(labels.FromMap(meta))
			if !relabel.ProcessBuilder(kept, steps...) {
				continue
			}
			scraped++
			got := []string{kept.Get("job"), kept.Get("namespace"), kept.Get("pod"), meta["__meta_kubernetes_pod_container_port_number"]}
			if want := service + " hub " + service + "-1 8090"; strings.Join(got, " ") != want {
				t.Errorf("got %q, want %s", got, want)
			}
		}
		if scraped != 1 {
			t.Errorf("%s: %d ports are scraped", service, scraped)
		}
	}
}

// ports gives what the discovery of Prometheus says of each port of a service's pods.
func ports(t *testing.T, service string) []map[string]string {
	t.Helper()
	rendered, err := manifests.Render(filepath.Join(source.Root, "deploy/k8s/overlays/prod"))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := manifests.Decode(rendered)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, o := range objects {
		d, ok := o.(*apps.Deployment)
		if !ok || d.Name != service {
			continue
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			for _, p := range c.Ports {
				meta := map[string]string{
					"__meta_kubernetes_namespace":                 "hub",
					"__meta_kubernetes_pod_name":                  service + "-1",
					"__meta_kubernetes_pod_container_port_name":   p.Name,
					"__meta_kubernetes_pod_container_port_number": strconv.Itoa(int(p.ContainerPort)),
				}
				for name, value := range d.Spec.Template.Labels {
					meta["__meta_kubernetes_pod_label_"+strings.NewReplacer(".", "_", "/", "_", "-", "_").Replace(name)] = value
				}
				all = append(all, meta)
			}
		}
	}
	return all
}
