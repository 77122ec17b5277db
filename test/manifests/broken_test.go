package manifests_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/hub/test/manifests"
)

// TestBrokenManifestsAreFound breaks prod in one way at a time: a check that does not see what it is
// there for is none.
func TestBrokenManifestsAreFound(t *testing.T) {
	rendered := render(t, overlay("prod"))
	surroundings := manifests.Surroundings{Binaries: binaries, External: examples(t, "prod")}
	for _, tt := range []struct {
		name string
		// old becomes new in the object of the given kind and name.
		object, old, new string
		want             string
	}{
		{"setting of no binary", "ConfigMap/edge-", "HUB_MAX_STREAMS", "HUB_MAX_STREAM", "edge: HUB_MAX_STREAM is no setting of edge serve"},
		{"setting of another binary", "ConfigMap/todohub-", "HUB_DATABASE_MAX_CONNS", "HUB_MAX_STREAMS", "todohub: HUB_MAX_STREAMS is no setting of todohub serve"},
		{"setting of another command", "Deployment/todohub", "- migrate", "- serve", "todohub: todohub: HUB_PUBLIC_URL: must not be empty"},
		{"value that is refused", "ConfigMap/edge-", `"50000"`, `"0"`, "edge: edge: HUB_MAX_STREAMS: must be at least 1"},
		{"variable of nobody", "Deployment/edge", "name: GOMEMLIMIT", "name: GOMEMLIMITS", "edge: container edge has the variable GOMEMLIMITS"},
		{"memory limit unknown to Go", "Deployment/edge", "name: GOMEMLIMIT", "name: OTEL_SERVICE_NAME", "edge: no GOMEMLIMIT"},
		{"memory limit smaller than Go's", "Deployment/edge", "memory: 2Gi", "memory: 1Gi", "edge: GOMEMLIMIT is 180 % of the memory limit"},
		{"file that is not mounted", "ConfigMap/edge-", "/etc/hub/issuer/clients.json", "/etc/hub/issuer/client.json", "edge: HUB_CLIENTS_FILE names /etc/hub/issuer/client.json, which is not mounted"},
		{"unknown ConfigMap", "Deployment/edge", "name: edge-", "name: other-", "edge: container edge takes its environment from something unknown"},
		{"unknown Secret", "Deployment/edge", "name: hub-redis", "name: redis", "edge: there is no key url in a Secret redis"},
		{"certificate that is not there", "Deployment/todohub", "secretName: todohub-tls", "secretName: hub-tls", "todohub: there is no Secret hub-tls"},
		{"unknown key", "Deployment/todohub", "key: url", "key: dsn", "todohub: there is no key dsn in a Secret hub-redis"},
		{"unknown Secret of a volume", "Deployment/edge", "name: edge-clients", "name: edge-client", "edge: there is no Secret edge-client"},
		{"unknown volume", "Deployment/edge", "      - name: issuer", "      - name: issuers", "edge: container edge mounts the unknown volume issuer"},
		{"address of no Service", "ConfigMap/edge-", "todohub-headless", "todo", "edge: HUB_TODOHUB_TARGET names todo:9090, which no Service has"},
		{"port of no Service", "ConfigMap/edge-", "todohub-headless:9090", "todohub-headless:9091", "edge: HUB_TODOHUB_TARGET names todohub-headless:9091, which no Service has"},
		{"grace period too short", "Deployment/edge", "terminationGracePeriodSeconds: 60", "terminationGracePeriodSeconds: 40", "edge: terminationGracePeriodSeconds must be more than 40s"},
		{"no drain", "ConfigMap/common-", "HUB_DRAIN_DELAY: 10s", "HUB_DRAIN_DELAY: 0s", `todohub: HUB_DRAIN_DELAY is "0s"`},
		{"update takes a pod away", "Deployment/messagehub", "maxUnavailable: 0", "maxUnavailable: 1", "messagehub: an update must have maxUnavailable 0 and maxSurge 1"},
		{"update in a hurry", "Deployment/messagehub", "minReadySeconds: 10", "minReadySeconds: 1", "messagehub: minReadySeconds is 1"},
		{"selector of other pods", "Deployment/todohub", "  selector:\n    matchLabels:\n      app.kubernetes.io/name: todohub", "  selector:\n    matchLabels:\n      app.kubernetes.io/name: todo", "todohub: its selector selects the pods of 0 workloads"},
		{"Service of other pods", "Service/edge", "app.kubernetes.io/name: edge", "app.kubernetes.io/name: front", "Service edge selects the pods of 0 workloads"},
		{"Service without its port", "Service/edge", "targetPort: http", "targetPort: https", "Service edge: edge has no port https"},
		{"probe of another path", "Deployment/edge", "path: /readyz", "path: /ready", "edge: the readiness probe asks for /ready"},
		{"probe of another port", "Deployment/edge", "path: /livez\n            port: admin", "path: /livez\n            port: http", "edge: the liveness probe is not on the admin port"},
		{"gRPC probe", "Deployment/todohub", "httpGet:\n            path: /readyz\n            port: admin", "grpc:\n            port: 9090", "todohub: the readiness probe is not HTTP"},
		{"probe with TLS of a port without", "Deployment/todohub", "path: /readyz\n            port: admin", "path: /readyz\n            scheme: HTTPS\n            port: admin", "todohub: the readiness probe and the admin port do not agree on TLS"},
		{"hub without TLS", "ConfigMap/hubs-", "  HUB_TLS_CERT_FILE: /etc/hub/tls/tls.crt\n", "", "edge: HUB_TODOHUB_TARGET and todohub do not agree on TLS"},
		{"certificate without a key", "ConfigMap/edge-", "  HUB_TLS_KEY_FILE: /etc/hub/tls/tls.key\n", "", "edge: edge: HUB_TLS_KEY_FILE: must be set with HUB_TLS_CERT_FILE"},
		{"keys without TLS", "ConfigMap/hubs-", "https://edge:8080", "http://edge:8080", "messagehub: HUB_JWKS_URL and edge do not agree on TLS"},
		{"authority that is not mounted", "ConfigMap/hubs-", "SSL_CERT_FILE: /etc/hub/tls/ca.crt", "SSL_CERT_FILE: /etc/hub/tls/root.crt", "todohub: SSL_CERT_FILE names /etc/hub/tls/root.crt, which is not mounted"},
		{"no budget", "PodDisruptionBudget/edge", "app.kubernetes.io/name: edge", "app.kubernetes.io/name: front", "edge: no PodDisruptionBudget with maxUnavailable 1"},
		{"budget of all pods", "PodDisruptionBudget/edge", "maxUnavailable: 1", "maxUnavailable: 100%", "edge: no PodDisruptionBudget with maxUnavailable 1"},
		{"ServiceAccount of another", "Deployment/edge", "serviceAccountName: edge", "serviceAccountName: todohub", "edge: no ServiceAccount of its own"},
		{"token in the pod", "Deployment/edge", "automountServiceAccountToken: false", "automountServiceAccountToken: true", "edge: its pods get a token of the ServiceAccount"},
		{"policy of no pods", "NetworkPolicy/edge", "      app.kubernetes.io/name: edge", "      app.kubernetes.io/name: front", "edge: no NetworkPolicy of its own for both directions"},
		{"policy of another port", "NetworkPolicy/edge", "port: 8080", "port: 8081", "NetworkPolicy edge: edge has no port 8081"},
		{"policy that closes a way", "NetworkPolicy/to-redis", "hub.example.com/redis", "hub.example.com/other", "edge: no NetworkPolicy lets HUB_REDIS_URL out to redis.example.com:6379"},
		{"policy that admits nobody", "NetworkPolicy/todohub", "          - edge\n    - namespaceSelector", "          - messagehub\n    - namespaceSelector", "edge: NetworkPolicies do not let HUB_TODOHUB_TARGET reach todohub-headless:9090"},
		{"no denial", "NetworkPolicy/default-deny", "  - Egress", "  - Ingress", "no NetworkPolicy denies what the others do not allow"},
		{"privileges", "Deployment/edge", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "edge: Pod Security forbids"},
		{"lax namespace", "Namespace/hub", "enforce: restricted", "enforce: baseline", `Namespace hub enforces the Pod Security Standard "baseline"`},
		{"other namespace", "Service/edge", "namespace: hub", "namespace: default", `edge is in the namespace "default"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			broken := edit(t, rendered, tt.object, tt.old, tt.new)
			findings := manifests.Check(decode(t, broken), surroundings)
			if !strings.Contains(strings.Join(findings, "\n"), tt.want) {
				t.Errorf("got %q, want %q", findings, tt.want)
			}
		})
	}
}

// TestBrokenComponentsAreFound is the same for what only the components have.
func TestBrokenComponentsAreFound(t *testing.T) {
	rendered := render(t, filepath.Join("testdata", "components"))
	surroundings := manifests.Surroundings{Binaries: binaries, External: examples(t, "prod", "stores-ca", "users", "event-center")}
	for _, tt := range []struct{ name, object, old, new, want string }{
		{"provider out of reach", "NetworkPolicy/outside-provider", "port: 443", "port: 8443", "messagehub: no NetworkPolicy lets HUB_ISSUER_URL out to login.example.com:443"},
		{"scrape of two services", "PodMonitor/hub", "      app.kubernetes.io/part-of: hub", "      app.kubernetes.io/component: hub", "PodMonitor hub: does not select edge"},
		{"scrape of another port", "PodMonitor/hub", "port: admin", "port: grpc", "PodMonitor hub: the port grpc serves no metrics"},
		{"scrape of no port", "PodMonitor/hub", "port: admin", "port: metrics", "PodMonitor hub: edge has no such port"},
		{"scrape under another name", "PodMonitor/hub", "jobLabel: app.kubernetes.io/name", "jobLabel: app.kubernetes.io/part-of", `PodMonitor hub: edge is the job "hub"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings := manifests.Check(decode(t, edit(t, rendered, tt.object, tt.old, tt.new)), surroundings)
			if !slices.Contains(findings, tt.want) {
				t.Errorf("got %q, want %q", findings, tt.want)
			}
		})
	}
}

func TestDecodeRefusesWhatTheTypeDoesNotHave(t *testing.T) {
	rendered := render(t, overlay("prod"))
	for _, tt := range []struct{ name, object, old, new, want string }{
		{"unknown field", "Deployment/edge", "  minReadySeconds:", "  minReadySecond:", `unknown field "spec.minReadySecond"`},
		{"field twice", "Deployment/edge", "  minReadySeconds: 10", "  minReadySeconds: 10\n  minReadySeconds: 11", `already set`},
		{"wrong type", "Deployment/edge", "  minReadySeconds: 10", "  minReadySeconds: ten", "minReadySeconds"},
		{"unknown kind", "Deployment/edge", "kind: Deployment", "kind: Deploiment", `no kind "Deploiment"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifests.Decode(edit(t, rendered, tt.object, tt.old, tt.new))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// edit replaces text in the one document of a kind and name; a name that ends with a dash is the
// beginning of one that ends with a hash.
func edit(t *testing.T, rendered []byte, object, from, to string) []byte {
	t.Helper()
	kind, name, _ := strings.Cut(object, "/")
	if !strings.HasSuffix(name, "-") {
		name += "\n"
	}
	documents := strings.Split(string(rendered), "\n---\n")
	edited := 0
	for i, d := range documents {
		whole := "\n" + d + "\n"
		if !strings.Contains(whole, "\nkind: "+kind+"\n") || !strings.Contains(whole, "\n  name: "+name) {
			continue
		}
		if !strings.Contains(d, from) {
			t.Fatalf("%s does not contain %q", object, from)
		}
		documents[i] = strings.Replace(d, from, to, 1)
		edited++
	}
	if edited != 1 {
		t.Fatalf("%d documents are %s", edited, object)
	}
	return []byte(strings.Join(documents, "\n---\n"))
}
