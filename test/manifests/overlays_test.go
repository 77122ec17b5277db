package manifests_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/hub/test/manifests"
)

func TestOverlays(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		expected  manifests.Objects
	}{
		{"dev", overlay("dev"), examples(t, "dev")},
		{"prod", overlay("prod"), examples(t, "prod")},
		{"prod with every component", filepath.Join("testdata", "components"), examples(t, "prod", "stores-ca", "users", "event-center")},
		{"prod with users and without TLS inside", withUsers(t), examples(t, "prod", "users")},
		{"prod behind an Ingress", behindIngress(t), examples(t, "prod", "ingress-nginx")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := manifests.Surroundings{Binaries: binaries, External: tt.expected}
			for _, finding := range manifests.Check(decode(t, render(t, tt.dir)), s) {
				t.Error(finding)
			}
		})
	}
}

func TestEveryExampleIsNeeded(t *testing.T) {
	for _, name := range []string{"dev", "prod"} {
		rendered := render(t, overlay(name))
		for _, o := range examples(t, name) {
			expected, err := meta.Accessor(o)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(rendered, []byte("ame: "+expected.GetName()+"\n")) {
				t.Errorf("%s: nothing uses %s", name, expected.GetName())
			}
			if bytes.Contains(rendered, []byte("\nmetadata:\n  name: "+expected.GetName()+"\n")) {
				t.Errorf("%s: %s is rendered", name, expected.GetName())
			}
		}
	}
}

func TestTrialClientsHaveTheSecretsThatTheDocsName(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(overlay("dev"), "clients.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Clients []struct {
			ID     string `json:"id"`
			Sum    string `json:"secret_sha256"`
			Scopes []string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	scopes := map[string]string{"erp": "client", "portal": "client", "limited": "profile", "hr": "directory"}
	if len(file.Clients) != len(scopes) {
		t.Errorf("there are %d clients", len(file.Clients))
	}
	for _, c := range file.Clients {
		sum := sha256.Sum256([]byte(c.ID + "-secret"))
		if c.Sum != hex.EncodeToString(sum[:]) {
			t.Errorf("the secret of %s is another one", c.ID)
		}
		if len(c.Scopes) != 1 || c.Scopes[0] != scopes[c.ID] {
			t.Errorf("the scopes of %s are %q", c.ID, c.Scopes)
		}
	}
}
