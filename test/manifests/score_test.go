package manifests_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// exceptions are the remarks of kube-score, as "check: summary", that Hub does not follow, with the
// reason; by overlay, those without a name of both.
var exceptions = map[string]map[string]string{
	"dev": {
		"container-security-context-user-group-id: The container is running with a low user ID": "the images of PostgreSQL and Redis have their users",
		"container-security-context-user-group-id: The container running with a low group ID":   "the images of PostgreSQL and Redis have their groups",
		"deployment-replicas: Deployment few replicas":                                          "there is one Redis, which keeps nothing",
	},
	"": {
		"container-resources: CPU limit is not set":                         "a limit throttles pods on an idle node; requests share a busy one",
		"container-image-pull-policy: ImagePullPolicy is not set to Always": "tags are of versions and never move; dev runs images that no registry has",
	},
}

// TestScore runs kube-score on the overlays. An exception that is no longer needed is an error too.
func TestScore(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "kube-score")
	build := exec.Command("go", "build", "-o", bin, "github.com/zegl/kube-score/cmd/kube-score")
	build.Dir = filepath.Join(root, "tools", "kubescore")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build kube-score: %v\n%s", err, out)
	}
	for _, name := range []string{"dev", "prod"} {
		t.Run(name, func(t *testing.T) {
			got := score(t, bin, render(t, overlay(name)))
			for remark, objects := range got {
				if exceptions[name][remark] == "" && exceptions[""][remark] == "" {
					t.Errorf("%s: %q", remark, objects)
				}
			}
			for _, known := range []string{name, ""} {
				for remark := range exceptions[known] {
					if got[remark] == nil {
						t.Errorf("the exception %q is not needed", remark)
					}
				}
			}
		})
	}
	rendered := render(t, overlay("prod"))
	for _, tt := range scored {
		t.Run(tt.name, func(t *testing.T) {
			got := score(t, bin, edit(t, rendered, tt.object, tt.old, tt.new))
			if got[tt.want] == nil {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// scored are the faults that this package leaves to kube-score, each with its remark. In the object of
// the given kind and name old becomes new.
var scored = []struct{ name, object, old, new, want string }{
	{
		"writable root", "Deployment/edge", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false",
		"container-security-context-readonlyrootfilesystem: The pod has a container with a writable root filesystem",
	},
	{
		"two masters of the replicas", "Deployment/edge", "  minReadySeconds: 10", "  minReadySeconds: 10\n  replicas: 3",
		"deployment-targeted-by-hpa-does-not-have-replicas-configured: The deployment is targeted by a HPA, but a static replica count is configured in the DeploymentSpec",
	},
	{
		"scaler of something else", "HorizontalPodAutoscaler/edge", "    name: edge", "    name: front",
		"horizontalpodautoscaler-has-target: The HPA target does not match anything",
	},
	{
		"nobody has the replicas", "HorizontalPodAutoscaler/edge", "    name: edge", "    name: front",
		"deployment-replicas: Deployment few replicas",
	},
	{
		"policy of no pods", "NetworkPolicy/edge", "      app.kubernetes.io/name: edge", "      app.kubernetes.io/name: front",
		"networkpolicy-targets-pod: The NetworkPolicys selector doesn't match any pods",
	},
	{
		"no liveness probe", "Deployment/edge", "livenessProbe:", "startupProbe:",
		"pod-probes: Container is missing a livenessProbe",
	},
	{
		"no readiness probe", "Deployment/edge", "readinessProbe:", "startupProbe:",
		"pod-probes: Container is missing a readinessProbe",
	},
}

// score gives what kube-score remarks, and on which objects.
func score(t *testing.T, bin string, rendered []byte) map[string][]string {
	t.Helper()
	run := exec.CommandContext(t.Context(), bin, "score", "--output-format", "json", "-")
	run.Stdin = bytes.NewReader(rendered)
	out, err := run.Output() // ends with 1 if there is any remark
	var objects []struct {
		Name   string `json:"object_name"`
		Checks []struct {
			Check    struct{ ID string }
			Grade    int
			Skipped  bool
			Comments []struct{ Path, Summary string }
		}
	}
	if jsonErr := json.Unmarshal(out, &objects); jsonErr != nil || len(objects) == 0 {
		t.Fatalf("kube-score: %v, %v: %s", err, jsonErr, out)
	}
	const good = 10
	remarks := map[string][]string{}
	for _, o := range objects {
		for _, c := range o.Checks {
			if c.Skipped || c.Grade >= good {
				continue
			}
			for _, comment := range c.Comments {
				remark := c.Check.ID + ": " + comment.Summary
				if !slices.Contains(remarks[remark], o.Name) {
					remarks[remark] = append(remarks[remark], o.Name)
				}
			}
			if len(c.Comments) == 0 {
				remarks[c.Check.ID+": "] = append(remarks[c.Check.ID+": "], o.Name)
			}
		}
	}
	return remarks
}
