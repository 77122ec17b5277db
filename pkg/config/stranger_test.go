package config_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/config"
)

func TestFindStrangers(t *testing.T) {
	got := config.FindStrangers([]string{
		"HUB_PAGE=1", "HUB_PAGES=2", "HUB_HTTP_ADR=x", "HUB_ISSUER_URL=x", "HUB_DATA_DIR=x", "HUB_COFFEE=black",
		"HUB_TEST_REDIS=x", "HUB_TARGET_URL=x", "HUB_EMPTY=", "OTHER=1", "GITHUB_TOKEN=x",
	}, &settings{})
	want := config.Strangers{
		Unknown: map[string]string{"HUB_PAGES": "HUB_PAGE", "HUB_HTTP_ADR": "HUB_HTTP_ADDR", "HUB_COFFEE": ""},
		Others:  []string{"HUB_DATA_DIR", "HUB_ISSUER_URL"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStrangersLog(t *testing.T) {
	var out strings.Builder
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	config.FindStrangers([]string{"HUB_HTTP_ADR=secret", "HUB_COFFEE=secret", "HUB_DATA_DIR=secret", "HUB_ISSUER_URL=secret"}, &settings{}).Log(logger)
	const want = `level=WARN msg="setting ignored" reason="HUB_COFFEE: there is no such setting"
level=WARN msg="setting ignored" reason="HUB_HTTP_ADR: there is no such setting; is HUB_HTTP_ADDR meant?"
level=INFO msg="settings ignored, which other binaries of Hub have and this one has not" names="HUB_DATA_DIR HUB_ISSUER_URL"
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
