package portalhub_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/portalhub"
)

func TestConfigDefaults(t *testing.T) {
	got, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	want := portalhub.Config{
		Config:           field.Config{PageConfig: field.PageConfig{MaxPageSize: 200}, ListTimeout: 2 * time.Second},
		UploadConfig:     field.UploadConfig{MaxUpload: 10 << 20},
		UserIDConfig:     field.UserIDConfig{UserIDs: "username"},
		CreateAtLogin:    true,
		SessionRetention: retention.Age(7 * 24 * time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := load(t, "HUB_MAX_PAGE_SIZE=0", "HUB_SESSION_RETENTION=23h", "HUB_USER_IDS=name", "HUB_MAX_UPLOAD=1023")
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"HUB_MAX_PAGE_SIZE: must be from 1 to 1000, not 0",
		`HUB_USER_IDS: must be username or directory, not "name"`,
		"HUB_MAX_UPLOAD: must be from 1024 to 104857600 bytes, not 1023",
		"HUB_SESSION_RETENTION: must be at least 24h0m0s, not 23h0m0s",
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
