package observability_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/test/source"
)

var update = flag.Bool("update", false, "write the rules into the object of the Prometheus Operator")

const ruleHead = `# Written from deploy/observability/rules.yaml: change it there, and then run
# cd test && GOWORK=off go test ./observability -run Operator -update
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: hub
spec:
`

// TestRulesOfTheOperator holds the object of the Prometheus Operator to the rules.
func TestRulesOfTheOperator(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, groups, found := strings.Cut(string(text), "\ngroups:\n")
	if !found {
		t.Fatal("the rules have no groups")
	}
	want := strings.Builder{}
	want.WriteString(ruleHead)
	for line := range strings.Lines("groups:\n" + groups) {
		if line != "\n" {
			want.WriteString("  ")
		}
		want.WriteString(line)
	}
	file := filepath.Join(source.Root, "deploy/k8s/components/prometheus-operator/prometheusrule.yaml")
	got, err := os.ReadFile(file)
	if err == nil && string(got) == want.String() {
		return
	}
	if !*update {
		t.Fatalf("the rules of the operator are out of date; write them with: cd test && GOWORK=off go test ./observability -run Operator -update")
	}
	if err := os.WriteFile(file, []byte(want.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
