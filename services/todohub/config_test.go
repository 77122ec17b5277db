package todohub_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/todohub"
)

func load(t *testing.T, environ ...string) (todohub.Config, error) {
	t.Helper()
	var c todohub.Config
	err := config.Load(&c, environ)
	return c, err
}

func TestConfigDefaults(t *testing.T) {
	got, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	want := todohub.Config{Ownership: "shared", Config: field.Config{PageConfig: field.PageConfig{MaxPageSize: 200}, ListTimeout: 2 * time.Second}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestConfigFromEnvironment(t *testing.T) {
	got, err := load(t, "HUB_TODO_OWNERSHIP=source", "HUB_TODO_OPERATORS=ops,portal", "HUB_MAX_PAGE_SIZE=50",
		"HUB_URL_SCHEMES=https,erp+app", "HUB_LIST_TIMEOUT=300ms", "HUB_TODO_RETENTION=90d")
	if err != nil {
		t.Fatal(err)
	}
	want := todohub.Config{
		Ownership: "source", Operators: []string{"ops", "portal"}, Config: field.Config{
			PageConfig: field.PageConfig{MaxPageSize: 50}, URLSchemes: []string{"https", "erp+app"}, ListTimeout: 300 * time.Millisecond,
		}, Retention: retention.Age(90 * 24 * time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := load(t, "HUB_TODO_OWNERSHIP=mine", "HUB_TODO_OPERATORS=ops, ,x", "HUB_MAX_PAGE_SIZE=0",
		"HUB_URL_SCHEMES=https://", "HUB_LIST_TIMEOUT=1us", "HUB_TODO_RETENTION=9m")
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`HUB_TODO_OWNERSHIP: must be shared or source, not "mine"`,
		"HUB_TODO_OPERATORS: must not have an empty entry",
		"HUB_MAX_PAGE_SIZE: must be from 1 to 1000, not 0",
		`HUB_URL_SCHEMES: "https://" is no URL scheme`,
		"HUB_LIST_TIMEOUT: must be at least 1ms, not 1µs",
		"HUB_TODO_RETENTION: must be empty or at least 1h0m0s, not 9m0s",
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
