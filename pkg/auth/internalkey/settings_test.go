package internalkey_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/hub/pkg/auth/internalkey"
	hubconfig "example.com/hub/pkg/config"
)

func TestInternalServerSettings(t *testing.T) {
	const (
		missing  = "HUB_INTERNAL_KEY_FILE: must not be empty without HUB_INTERNAL_CLIENT_NAMES"
		badNames = "HUB_INTERNAL_CLIENT_NAMES: must be DNS names without wildcards, or URIs, with a comma between them"
	)
	for environ, want := range map[string]string{
		"":                                       missing,
		"HUB_INTERNAL_KEY_FILE=a":                "",
		"HUB_INTERNAL_CLIENT_NAMES=edge.hub.svc": "",
		"HUB_INTERNAL_CLIENT_NAMES=edge,spiffe://hub.test/ns/hub/sa/edge": "",
		"HUB_INTERNAL_KEY_FILE=a HUB_INTERNAL_CLIENT_NAMES=edge":          "",
		"HUB_INTERNAL_CLIENT_NAMES=edge,":                                 badNames,
		"HUB_INTERNAL_CLIENT_NAMES=*.hub.svc":                             badNames,
		"HUB_INTERNAL_CLIENT_NAMES=edge:8080":                             badNames,
		"HUB_INTERNAL_CLIENT_NAMES=spiffe:///sa/edge":                     badNames,
		"HUB_INTERNAL_CLIENT_NAMES=CN=edge/O=hub":                         badNames,
	} {
		got := ""
		var s internalkey.ServerSettings
		if err := errors.Join(hubconfig.Load(&s, strings.Fields(environ)), s.Need()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", environ, got, want)
		}
	}
}

func TestInternalKeyMayBeLeftOut(t *testing.T) {
	if key, err := (internalkey.Settings{}).Key(); key != "" || err != nil {
		t.Errorf("key %q, %v, want none", key, err)
	}
	if _, err := (internalkey.Settings{KeyFile: t.TempDir() + "/none"}).Key(); err == nil {
		t.Error("a file that is not there gives a key")
	}
}
