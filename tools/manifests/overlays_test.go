package manifests_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	core "k8s.io/api/core/v1"

	"example.com/hub/tools/manifests"
)

func TestOverlays(t *testing.T) {
	for _, tt := range []struct{ name, dir, examples string }{
		{"dev", overlay("dev"), "dev"},
		{"prod", overlay("prod"), "prod"},
		{"prod with every component", filepath.Join("testdata", "components"), "prod"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := manifests.Surroundings{Binaries: binaries, External: examples(t, tt.examples)}
			for _, finding := range manifests.Check(decode(t, render(t, tt.dir)), s) {
				t.Error(finding)
			}
		})
	}
}

func TestEveryExampleSecretIsNeeded(t *testing.T) {
	for _, name := range []string{"dev", "prod"} {
		rendered := render(t, overlay(name))
		for _, o := range examples(t, name) {
			secret := o.(*core.Secret)
			if !bytes.Contains(rendered, []byte("ame: "+secret.Name+"\n")) {
				t.Errorf("%s: nothing uses the Secret %s", name, secret.Name)
			}
			if bytes.Contains(rendered, []byte("kind: Secret\nmetadata:\n  name: "+secret.Name+"\n")) {
				t.Errorf("%s: the Secret %s is rendered", name, secret.Name)
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
	scopes := map[string]string{"erp": "client", "portal": "client", "limited": "profile"}
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
