package manifests_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"example.com/hub/test/manifests"
	"example.com/hub/test/shape"
)

// operations is the folder of the pages for operators.
var operations = filepath.Join(root, "docs", "operations")

// mine replaces what stands for something of one's own in prod.
var mine = []string{
	"registry.example.com", "registry.company.test",
	"hub.example.com", "hub.company.test",
	"hub-grpc.example.com", "hub-grpc.company.test",
	"192.0.2.0/24", "10.0.20.0/24",
}

func TestPlaceholdersOfProdAreFound(t *testing.T) {
	findings := manifests.Placeholders(decode(t, render(t, overlay("prod"))), examples(t, "prod"))
	for _, want := range []string{
		`ConfigMap common-*: "https://hub.example.com" is still that of the example`,
		`ConfigMap edge-*: "192.0.2.0/24" is still that of the example`,
		`Deployment todohub: "registry.example.com/hub/todohub:v0.1.0" is still that of the example`,
		`HTTPRoute edge: "hub.example.com" is still that of the example`,
		`GRPCRoute hubs: "hub-grpc.example.com" is still that of the example`,
		`Secret edge-clients: clients.json is still to be filled in`,
		`Secret hub-internal-key: key is still to be filled in`,
		`Secret edge-signing-keys: signing-keys.pem is still to be filled in`,
		`Secret messagehub-database: url is still to be filled in`,
		`Secret hub-redis: url is still to be filled in`,
		`ConfigMap hub-ca: ca.crt is still to be filled in`,
	} {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `-\*`, `-[a-z0-9]+`) + "$")
		if !slices.ContainsFunc(findings, pattern.MatchString) {
			t.Errorf("%s is not among %q", want, findings)
		}
	}
	for _, f := range findings {
		if strings.Contains(f, "PASSWORD") || strings.Contains(f, "REPLACE-THIS") {
			t.Errorf("the value of a Secret is shown: %s", f)
		}
	}
}

func TestNoPlaceholderIsFoundWhereAllIsFilledIn(t *testing.T) {
	external := examples(t, "prod")
	for _, o := range external {
		switch o := o.(type) {
		case *core.Secret:
			for key := range o.StringData {
				o.StringData[key] = "something"
			}
		case *core.ConfigMap:
			for key := range o.Data {
				o.Data[key] = "something"
			}
		}
	}
	for _, finding := range manifests.Placeholders(decode(t, render(t, copied(t, mine...))), external) {
		t.Error(finding)
	}
}

// TestThePageListsEveryPlaceholder holds the page that says what to edit to what prod has.
func TestThePageListsEveryPlaceholder(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(operations, "kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "## Before you apply")
	list, _, _ = strings.Cut(list, "\n## ")
	for i := 0; i < len(mine); i += 2 {
		if !strings.Contains(list, mine[i]) {
			t.Errorf("the list lacks %s", mine[i])
		}
	}
	for _, o := range examples(t, "prod", "users") {
		name := ""
		switch o := o.(type) {
		case *core.Secret:
			name = o.Name
		case *core.ConfigMap:
			name = o.Name
		}
		for _, hub := range shape.Hubs() {
			if rest, ok := strings.CutPrefix(name, hub+"-"); ok {
				name = "NAME-" + rest
			}
		}
		if !strings.Contains(list, "`"+name+"`") {
			t.Errorf("the list lacks %s", name)
		}
	}
}

// TestPlaceholdersOfRenderedSecretsAreFound has Secrets that a secretGenerator made.
func TestPlaceholdersOfRenderedSecretsAreFound(t *testing.T) {
	made := decode(t, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a-hash}\ndata: {key: UkVQTEFDRQ==}\n"))
	if findings := manifests.Placeholders(made, nil); !slices.Equal(findings, []string{"Secret a-hash: key is still to be filled in"}) {
		t.Errorf("got %q", findings)
	}
}

func TestListsOfKubectlAreRead(t *testing.T) {
	objects := decode(t, []byte("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  data: {key: UkVQTEFDRQ==}\n"))
	uses := decode(t, []byte("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s}\nimagePullSecrets: [{name: a}]\n"))
	if findings := manifests.Placeholders(uses, objects); !slices.Equal(findings, []string{"Secret a: key is still to be filled in"}) {
		t.Errorf("got %q", findings)
	}
}

// TestThePageSaysHowManyConnectionsThereMayBe holds the table of connections to the manifests.
func TestThePageSaysHowManyConnectionsThereMayBe(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(operations, "sizing.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dev", "prod"} {
		s := manifests.Surroundings{Binaries: binaries, External: examples(t, name)}
		budgets := manifests.Budgets(decode(t, render(t, overlay(name))), s)
		if len(budgets) < 2 {
			t.Fatalf("%s: only %v take connections", name, budgets)
		}
		for _, b := range budgets {
			if b.Pods != budgets[0].Pods || b.Each != budgets[0].Each {
				t.Errorf("%s: the page has one row for all hubs, which differ: %v", name, budgets)
			}
		}
		row := fmt.Sprintf("| `overlays/%s` | %d | %d | %d |\n", name, budgets[0].Pods, budgets[0].Each, budgets[0].Connections())
		if !strings.Contains(string(text), row) {
			t.Errorf("sizing.md lacks the row %s", row)
		}
	}
}
