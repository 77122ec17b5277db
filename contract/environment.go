package contract

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const usage = `set HUB_TARGET_URL to run the contract against a deployment, for example
	HUB_TARGET_URL=http://127.0.0.1:8080 go test -run TestDeployment ./contract
clients: HUB_TARGET_CLIENT (erp:erp-secret), HUB_TARGET_CLIENT2 (portal:portal-secret), HUB_TARGET_LIMITED (limited:limited-secret),
HUB_TARGET_FEED (hr:hr-secret)
settings of the deployment, where they are not the defaults: HUB_TARGET_HEARTBEAT (15s), HUB_TARGET_MAX_PAGE_SIZE (200),
HUB_TARGET_MAX_TARGETS (10000), HUB_TARGET_MAX_BODY (4194304), HUB_TARGET_ERROR_STATUS (200 or nothing),
HUB_TARGET_TODO_OWNERSHIP (shared), HUB_TARGET_TIME_ZONE (UTC), HUB_TARGET_URL_SCHEMES, HUB_TARGET_TOKEN_PATH, HUB_TARGET_LIMITED_SCOPE (profile)`

// Deployment is the target that the environment names. Without one the test is skipped, and says which
// variables name it.
func Deployment(t *testing.T) Target {
	t.Helper()
	base := option("HUB_TARGET_URL", "")
	if base == "" {
		t.Skip(usage)
	}
	return Target{
		BaseURL:      base,
		Client:       credentials(t, "HUB_TARGET_CLIENT", "erp:erp-secret"),
		Other:        credentials(t, "HUB_TARGET_CLIENT2", "portal:portal-secret"),
		Limited:      credentials(t, "HUB_TARGET_LIMITED", "limited:limited-secret"),
		Feed:         credentials(t, "HUB_TARGET_FEED", "hr:hr-secret"),
		LimitedScope: option("HUB_TARGET_LIMITED_SCOPE", "profile"),
		TokenPath:    option("HUB_TARGET_TOKEN_PATH", ""),
		Settings:     deploymentSettings(t),
	}
}

func deploymentSettings(t *testing.T) Settings {
	t.Helper()
	set := DefaultSettings()
	heartbeat, err := time.ParseDuration(option("HUB_TARGET_HEARTBEAT", set.HeartbeatInterval.String()))
	if err != nil {
		t.Fatalf("HUB_TARGET_HEARTBEAT: %v", err)
	}
	zone, err := time.LoadLocation(option("HUB_TARGET_TIME_ZONE", "UTC"))
	if err != nil {
		t.Fatalf("HUB_TARGET_TIME_ZONE: %v", err)
	}
	set.HeartbeatInterval, set.TimeZone = heartbeat, zone
	set.MaxPageSize = number(t, "HUB_TARGET_MAX_PAGE_SIZE", set.MaxPageSize)
	set.MaxTargets = number(t, "HUB_TARGET_MAX_TARGETS", set.MaxTargets)
	set.MaxBody = number(t, "HUB_TARGET_MAX_BODY", set.MaxBody)
	set.ErrorStatus200 = option("HUB_TARGET_ERROR_STATUS", "") == "200"
	set.TodoOwnership = option("HUB_TARGET_TODO_OWNERSHIP", set.TodoOwnership)
	if schemes := option("HUB_TARGET_URL_SCHEMES", ""); schemes != "" {
		set.URLSchemes = strings.Split(strings.ToLower(schemes), ",")
	}
	return set
}

func option(name, fallback string) string {
	if value, ok := os.LookupEnv(name); ok && value != "" {
		return value
	}
	return fallback
}

func number(t *testing.T, name string, fallback int) int {
	t.Helper()
	n, err := strconv.Atoi(option(name, strconv.Itoa(fallback)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func credentials(t *testing.T, name, fallback string) Credentials {
	t.Helper()
	id, secret, ok := strings.Cut(option(name, fallback), ":")
	if !ok {
		t.Fatalf("%s must be id:secret", name)
	}
	return Credentials{ID: id, Secret: secret}
}
