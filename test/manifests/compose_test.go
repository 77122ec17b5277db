package manifests_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/hub/test/manifests"
)

var composeFile = filepath.Join(root, "deploy", "compose.yaml")

func TestCompose(t *testing.T) {
	findings, err := manifests.CheckCompose(t.Context(), composeFile, binaries)
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range findings {
		t.Error(finding)
	}
}

func TestBrokenComposeFilesAreFound(t *testing.T) {
	whole, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	deploy, err := filepath.Abs(filepath.Dir(composeFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"unknown key", "    network_mode: none", "    networkmode: none", "networkmode"},
		{"unknown dependency", "    keys: {condition", "    key: {condition", "key"},
		{"unknown volume", "  - keys:/run/keys:ro", "  - key:/run/keys:ro", "key"},
		{"unknown setting", "    HUB_CLIENTS_FILE:", "    HUB_CLIENT_FILE:", "edge-1: HUB_CLIENT_FILE is no setting of edge"},
		{"refused value", "HUB_PUBLIC_URL: http://127.0.0.1:8081", "HUB_PUBLIC_URL: http://127.0.0.1:8081/", "edge-1: edge: HUB_PUBLIC_URL: must not end with a slash"},
		{"unknown host", "todohub-1:9090,", "todohub-3:9090,", "edge-1: nothing answers at todohub-3:9090 of HUB_TODOHUB_TARGET"},
		{"unknown port", "redis://redis:6379", "redis://redis:6380", "nothing answers at redis:6380 of HUB_REDIS_URL"},
		{"file that is not mounted", "/run/keys/signing-keys.pem", "/run/key/signing-keys.pem", "which is not mounted"},
		{"file that does not exist", "overlays/dev/databases.sql:", "overlays/dev/database.sql:", "database.sql: no such file"},
		{"hub that knows no edge", "  HUB_INTERNAL_KEY_FILE: /run/keys/internal-key\n\nx-migrate", "\nx-migrate", "todohub-2: users cannot call it, since it knows no edge"},
		{"keys that differ", "    HUB_INTERNAL_KEY_FILE: /run/keys/internal-key\n    HUB_SECRETS", "    HUB_INTERNAL_KEY_FILE: /run/keys/key\n    HUB_SECRETS", "messagehub-1: HUB_INTERNAL_KEY_FILE comes from keys/internal-key, and that of edge-1 from keys/key"},
		{"login without keys", "    HUB_SECRETS_FILE: /run/keys/secrets\n    HUB_USER_ISSUER_URL: ${HUB_USER_ISSUER_URL:-}\n    HUB_USER_AUDIENCE: ${HUB_USER_AUDIENCE:-}\n    HUB_LOGIN_CLIENT_ID: ${HUB_LOGIN_CLIENT_ID:-}", "    HUB_USER_AUDIENCE: a\n    HUB_LOGIN_CLIENT_ID: b", "edge-1: edge: HUB_LOGIN_CLIENT_ID: needs HUB_SECRETS_FILE"},
		{"port for everyone", "127.0.0.1:8082:", "8082:", `edge-2: port 8082 is published on ""`},
		{"image of another service", "args: {SERVICE: messagehub}", "args: {SERVICE: todohub}", "the image hub/messagehub is built of todohub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(string(whole), tt.old) {
				t.Fatalf("the file does not contain %q", tt.old)
			}
			broken := strings.Replace(string(whole), tt.old, tt.new, 1)
			broken = strings.NewReplacer("./k8s/", deploy+"/k8s/", "context: ..", "context: "+filepath.Dir(deploy)).Replace(broken)
			file := filepath.Join(t.TempDir(), "compose.yaml")
			if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
				t.Fatal(err)
			}
			findings, err := manifests.CheckCompose(t.Context(), file, binaries)
			if err != nil {
				findings = append(findings, err.Error())
			}
			if got := strings.Join(findings, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTrialShapesHaveTheTestedServers holds the images of PostgreSQL and Redis to the versions that the page
// for operators says are tested.
func TestTrialShapesHaveTheTestedServers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	tested := regexp.MustCompile(`tested on PostgreSQL (\S+) and Redis (\S+),`).FindStringSubmatch(string(page))
	if tested == nil {
		t.Fatal("the page does not say what is tested")
	}
	compose, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	for shape, text := range map[string]string{"compose.yaml": string(compose), "overlays/dev": string(render(t, overlay("dev")))} {
		for _, image := range []string{"postgres:" + tested[1], "redis:" + tested[2]} {
			if !strings.Contains(text, "image: "+image+"\n") {
				t.Errorf("%s has no image %s", shape, image)
			}
		}
	}
}
