package manifests_test

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/test/manifests"
)

// breakage is one change that a check must see.
type breakage struct {
	name string
	// old becomes new in the object of the given kind and name.
	object, old, new string
	want             string
}

// found makes each change by itself and wants it to be found, and the unchanged objects to be well.
func found(t *testing.T, dir string, expected manifests.Objects, all []breakage) {
	t.Helper()
	rendered := render(t, dir)
	s := manifests.Surroundings{Binaries: binaries, External: expected}
	if findings := manifests.Check(decode(t, rendered), s); len(findings) > 0 {
		t.Fatalf("unchanged: %q", findings)
	}
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			findings := manifests.Check(decode(t, edit(t, rendered, b.object, b.old, b.new)), s)
			if !strings.Contains(strings.Join(findings, "\n"), b.want) {
				t.Errorf("got %q, want %q", findings, b.want)
			}
		})
	}
}

func TestBrokenWaysInAreFound(t *testing.T) {
	found(t, overlay("prod"), examples(t, "prod"), []breakage{
		{"HTTPRoute to nobody", "HTTPRoute/edge", "- name: edge", "- name: front", "HTTPRoute edge: front has no such port"},
		{"GRPCRoute to another port", "GRPCRoute/hubs", "port: 9090", "port: 8090", "GRPCRoute hubs: todohub has no such port"},
		{"stream that ends", "HTTPRoute/edge", "request: 0s", "request: 10s", "HTTPRoute edge: it ends streams"},
		{"stream that ends behind the Gateway", "HTTPRoute/edge", "backendRequest: 0s", "backendRequest: 5s", "HTTPRoute edge: it ends streams"},
		{"stream whose end the Gateway chooses", "HTTPRoute/edge", "    timeouts:\n      backendRequest: 0s\n      request: 0s\n", "", "HTTPRoute edge: it ends streams"},
		{"stream by the general rule", "HTTPRoute/edge", "value: /message-hub/stream", "value: /message-hub/streams", "HTTPRoute edge: it ends streams"},
		{"event center by the general rule", "HTTPRoute/edge", "value: /event-center", "value: /event-centers", "HTTPRoute edge: it ends streams"},
		{"WebSocket by the general rule", "HTTPRoute/edge", "value: /message-hub/ws", "value: /message-hub/wss", "HTTPRoute edge: it ends streams"},
		{"answers cut", "HTTPRoute/edge", "      request: 75s", "      request: 10s", "HTTPRoute edge: answers may take HUB_ANSWER_TIMEOUT, 1m0s"},
		{"everything over HTTP to a hub", "HTTPRoute/edge", "    - name: edge\n      port: 8080\n    matches:\n    - path:\n        type: PathPrefix\n        value: /\n", "    - name: todohub\n      port: 9090\n", "HTTPRoute edge: / of todohub is not for callers"},
		{"every gRPC service", "GRPCRoute/hubs", "  - backendRefs:\n    - name: messagehub\n      port: 9090\n    matches:\n    - method:\n        service: hub.message.v1.MessageService", "  - backendRefs:\n    - name: messagehub\n      port: 9090", "GRPCRoute hubs: / of messagehub is not for callers"},
		{"the internal gRPC service", "GRPCRoute/hubs", "hub.message.v1.MessageService", "hub.event.v1.EventService", "GRPCRoute hubs: /hub.event.v1.EventService of messagehub is not for callers"},
		{"gRPC services by a pattern", "GRPCRoute/hubs", "service: hub.message.v1.MessageService", "service: hub.*\n        type: RegularExpression", "GRPCRoute hubs: / of messagehub is not for callers"},
		{"Gateway that is not let in", "NetworkPolicy/gateway-edge", "gateway-system", "gateways", "HTTPRoute edge: no NetworkPolicy lets it in to edge"},
		{"Gateway in another namespace", "GRPCRoute/hubs", "namespace: gateway-system", "namespace: other", "GRPCRoute hubs: no NetworkPolicy lets it in to messagehub"},
		{"Gateway without TLS behind it", "BackendTLSPolicy/todohub", "name: todohub\n  validation", "name: todohub-headless\n  validation", "GRPCRoute hubs: it and todohub do not agree on TLS"},
		{"certificate of another name", "BackendTLSPolicy/edge", "hostname: edge", "hostname: hub.example.com", "BackendTLSPolicy edge: the certificate of edge is not for hub.example.com"},
		{"unknown authority", "BackendTLSPolicy/edge", "name: hub-ca", "name: ca", "BackendTLSPolicy edge: there is no key ca.crt in a ConfigMap ca"},
		{"proxies that nobody trusts", "ConfigMap/edge-", "HUB_TRUSTED_PROXIES: 192.0.2.0/24", `HUB_TRUSTED_PROXIES: ""`, "edge: HUB_TRUSTED_PROXIES is empty although a proxy is in front"},
		{"monitoring that is not let in", "NetworkPolicy/monitoring", "kubernetes.io/metadata.name: monitoring", "kubernetes.io/metadata.name: metrics", "todohub: no NetworkPolicy lets the monitoring in"},
		{"DNS on another port", "NetworkPolicy/dns", "port: 53\n      protocol: UDP", "port: 5353\n      protocol: UDP", "edge: no NetworkPolicy lets it ask the DNS"},
		{"DNS in another namespace", "NetworkPolicy/dns", "kubernetes.io/metadata.name: kube-system", "kubernetes.io/metadata.name: dns", "messagehub: no NetworkPolicy lets it ask the DNS"},
		{"calls to one address", "ConfigMap/edge-", "todohub-headless", "todohub", "edge: HUB_TODOHUB_TARGET names the one address of todohub"},
		{"edges without a name", "Deployment/messagehub", "name: HUB_INTERNAL_CLIENT_NAMES\n          value: edge", `name: HUB_INTERNAL_CLIENT_NAMES`, "messagehub: HUB_INTERNAL_CLIENT_NAMES is empty although client certificates are verified"},
		{"admin port on loopback", "ConfigMap/common-", "  HUB_ADMIN_ADDR: :8090\n", "", `todohub: HUB_ADMIN_ADDR is "", and the probes ask port 8090 of the pod`},
		{"admin port elsewhere", "ConfigMap/common-", "HUB_ADMIN_ADDR: :8090", "HUB_ADMIN_ADDR: 127.0.0.1:8090", `edge: HUB_ADMIN_ADDR is "127.0.0.1:8090"`},
	})
}

func TestBrokenIngressesAreFound(t *testing.T) {
	found(t, behindIngress(t), examples(t, "prod", "ingress-nginx"), []breakage{
		{"without its port", "Ingress/edge", "name: http\n", "name: https\n", "Ingress edge: edge has no such port"},
		{"without its certificate", "Ingress/edge", "secretName: hub-tls", "secretName: tls", "Ingress edge: there is no Secret tls"},
		{"of another host", "Ingress/edge", "- host: hub.example.com", "- host: hub.example.org", `Ingress edge: no certificate for "hub.example.org"`},
		{"without TLS behind it", "Ingress/edge-stream", "backend-protocol: HTTPS", "backend-protocol: HTTP", "Ingress edge-stream: it and edge do not agree on TLS"},
		{"stream that ends", "Ingress/edge-stream", `proxy-read-timeout: "3600"`, `proxy-read-timeout: "5"`, "Ingress edge-stream: it ends streams"},
		{"event center by the general rule", "Ingress/edge-event-center", "path: /event-center", "path: /event-centers", "Ingress edge: it holds back events"},
		{"WebSocket by the general rule", "Ingress/edge-stream", "path: /message-hub/ws", "path: /message-hub/wss", "Ingress edge: it holds back events"},
		{"stream in a buffer", "Ingress/edge-stream", `proxy-buffering: "off"`, `proxy-buffering: "on"`, "Ingress edge-stream: it holds back events"},
		{"answers cut", "Ingress/edge", `proxy-read-timeout: "75"`, `proxy-read-timeout: "10"`, "Ingress edge: answers may take HUB_ANSWER_TIMEOUT, 1m0s"},
		{"bodies too small", "Ingress/edge", "proxy-body-size: 5m", "proxy-body-size: 1m", "Ingress edge: requests may have HUB_MAX_BODY, 4194304 bytes"},
		{"every gRPC service", "Ingress/grpc", "path: /hub.message.v1.MessageService", "path: /", "Ingress grpc: / of messagehub is not for callers"},
		{"not let in", "NetworkPolicy/ingress-edge", "          kubernetes.io/metadata.name: ingress-nginx", "          team: ingress", "Ingress edge: no NetworkPolicy lets it in to edge"},
	})
}

func TestBrokenScalingIsFound(t *testing.T) {
	components := filepath.Join("testdata", "components")
	found(t, components, examples(t, "prod", "stores-ca", "users", "event-center"), []breakage{
		{"no memory for the streams", "ConfigMap/edge-", `HUB_MAX_STREAMS: "50000"`, `HUB_MAX_STREAMS: "500000"`, "edge: HUB_MAX_STREAMS=500000 needs "},
		{"utilization out of reach", "HorizontalPodAutoscaler/todohub", "averageUtilization: 70", "averageUtilization: 700", "HorizontalPodAutoscaler todohub: must aim at 1 to 90 % of the request"},
		{"misspelt resource", "HorizontalPodAutoscaler/todohub", "name: cpu", "name: cpus", "HorizontalPodAutoscaler todohub: there is no resource cpus"},
		{"misspelt metric", "HorizontalPodAutoscaler/edge", "name: hub_edge_streams", "name: hub_edge_stream", "HorizontalPodAutoscaler edge: Hub has no metric hub_edge_stream"},
		{"budget of ready pods alone", "PodDisruptionBudget/messagehub", "AlwaysAllow", "IfHealthyBudget", "messagehub: pods that are not ready cannot be evicted"},
		{"migrate without the authority", "Deployment/todohub", "- migrate\n        env:\n        - name: SSL_CERT_DIR", "- migrate\n        env:\n        - name: OTEL_SERVICE_NAME", "todohub: container migrate does not trust the authorities in /etc/hub/stores-ca"},
		{"edge without the authority", "Deployment/edge", "- name: SSL_CERT_DIR", "- name: OTEL_SERVICE_NAME", "edge: container edge does not trust the authorities in /etc/hub/stores-ca"},
		{"authority that is not mounted", "Deployment/edge", "value: /etc/ssl/certs:/etc/hub/stores-ca", "value: /etc/ssl/certs:/etc/hub/stores", "edge: SSL_CERT_DIR of container edge names /etc/hub/stores, where nothing is mounted"},
	})
	found(t, overlay("dev"), examples(t, "dev"), []breakage{
		{"more connections than PostgreSQL has", "ConfigMap/todohub-", `HUB_DATABASE_MAX_CONNS: "3"`, `HUB_DATABASE_MAX_CONNS: "10"`, " connections, and PostgreSQL allows 97"},
	})
}
