package observability_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"go.yaml.in/yaml/v3"
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
	for service, base := range map[string]string{"edge": "edge", "todohub": "hub", "messagehub": "hub"} {
		scraped := 0
		for _, meta := range ports(t, service, base) {
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

// ports gives what the discovery of Prometheus says of each port of a service's pods, which have the
// service's name for a label in the place of the name of their base.
func ports(t *testing.T, service, base string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "deploy/k8s/base", base, "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var d struct {
			Kind string
			Spec struct {
				Template struct {
					Metadata struct{ Labels map[string]string }
					Spec     struct {
						Containers []struct {
							Ports []struct {
								Name   string
								Number int `yaml:"containerPort"`
							}
						}
					}
				}
			}
		}
		err := documents.Decode(&d)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind != "Deployment" {
			continue
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			for _, p := range c.Ports {
				name := d.Spec.Template.Metadata.Labels["app.kubernetes.io/name"]
				if name == base {
					name = service
				}
				all = append(all, map[string]string{
					"__meta_kubernetes_namespace":                           "hub",
					"__meta_kubernetes_pod_name":                            service + "-1",
					"__meta_kubernetes_pod_container_port_name":             p.Name,
					"__meta_kubernetes_pod_container_port_number":           strconv.Itoa(p.Number),
					"__meta_kubernetes_pod_label_app_kubernetes_io_name":    name,
					"__meta_kubernetes_pod_label_app_kubernetes_io_part_of": "hub", // the base adds it to every pod
				})
			}
		}
	}
}
