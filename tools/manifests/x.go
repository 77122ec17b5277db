package manifests

import (
	_ "github.com/compose-spec/compose-go/v2/cli"
	_ "k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/pod-security-admission/policy"
	_ "sigs.k8s.io/gateway-api/apis/v1"
	_ "sigs.k8s.io/kustomize/api/krusty"
)
