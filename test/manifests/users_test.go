package manifests_test

import (
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"

	"example.com/hub/test/manifests"
)

// withUsers gives a copy of prod with users, in which hubs know edges by the key alone.
func withUsers(t *testing.T) string {
	t.Helper()
	return copied(t, "- ../../components/gateway-api-tls\n- ../../components/tls\n", "- ../../components/users\n")
}

func TestBrokenUsersAreFound(t *testing.T) {
	found(t, withUsers(t), examples(t, "prod", "users"), []breakage{
		{"provider out of reach", "NetworkPolicy/user-provider", "port: 443", "port: 8443", "edge: no NetworkPolicy lets HUB_USER_ISSUER_URL out to login.example.com:443"},
		{"no keys of cookies", "ConfigMap/edge-", "  HUB_SECRETS_FILE: /etc/hub/users/secrets\n", "", "edge: edge: HUB_LOGIN_CLIENT_ID: needs HUB_SECRETS_FILE"},
		{"keys that are not mounted", "ConfigMap/edge-", "/etc/hub/users/secrets", "/etc/hub/users/secret", "edge: HUB_SECRETS_FILE names /etc/hub/users/secret, which is not mounted"},
		{"Secret that is not there", "Deployment/edge", "secretName: edge-users", "secretName: edge-user", "edge: there is no Secret edge-user"},
		{"no audience", "ConfigMap/edge-", "HUB_USER_AUDIENCE: REPLACE", "HUB_USER_AUDIENCE: \"\" # REPLACE", "edge: edge: HUB_USER_AUDIENCE: must be set together with HUB_USER_ISSUER_URL"},
		{"browsers without https", "ConfigMap/common-", "https://hub.example.com", "http://hub.example.com", "edge: edge: HUB_PUBLIC_URL: must be https where users log in"},
		{"route of another host", "HTTPRoute/edge", "- hub.example.com", "- www.example.com", "edge: no way in leads from hub.example.com/portal/login to it, where users log in"},
		{"route of some paths", "HTTPRoute/edge", "value: /\n", "value: /todo-hub/\n", "edge: no way in leads from hub.example.com/portal/login to it, where users log in"},
		{"hub that knows no edge", "Deployment/todohub", "name: HUB_INTERNAL_KEY_FILE", "name: OTEL_SERVICE_NAME", "todohub: users cannot call it, since it knows no edge"},
	})
}

// TestEdgesWithDifferentKeysAreFound has a second Deployment of the edge.
func TestEdgesWithDifferentKeysAreFound(t *testing.T) {
	external := examples(t, "prod", "users")
	other := decode(t, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {secrets: a, client-secret: b}\n"))
	objects := decode(t, render(t, withUsers(t)))
	for _, o := range objects {
		first, ok := o.(*apps.Deployment)
		if !ok || first.Name != "edge" {
			continue
		}
		second := first.DeepCopy()
		second.Name = "portal"
		for _, v := range second.Spec.Template.Spec.Volumes {
			if v.Secret != nil && v.Secret.SecretName == "edge-users" {
				v.Secret.SecretName = "other"
			}
		}
		objects = append(objects, second)
	}
	findings := manifests.Check(objects, manifests.Surroundings{Binaries: binaries, External: append(external, other...)})
	if want := "portal: HUB_SECRETS_FILE comes from Secret other secrets, and that of edge from Secret edge-users secrets"; !slices.Contains(findings, want) {
		t.Errorf("got %q, want %s", findings, want)
	}
}

func TestPlaceholdersOfUsersAreFound(t *testing.T) {
	findings := strings.Join(manifests.Placeholders(decode(t, render(t, withUsers(t))), examples(t, "prod", "users")), "\n")
	for _, want := range []string{
		`"https://login.example.com/realms/people" is still that of the example`,
		`"REPLACE-BY-THE-AUDIENCE-OF-USER-TOKENS" is still that of the example`,
		`"REPLACE-BY-THE-CLIENT-ID-OF-HUB" is still that of the example`,
		`Secret edge-users: secrets is still to be filled in`,
		`Secret edge-users: client-secret is still to be filled in`,
	} {
		if !strings.Contains(findings, want) {
			t.Errorf("%s is not among\n%s", want, findings)
		}
	}
}
