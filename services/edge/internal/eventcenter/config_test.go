package eventcenter_test

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/services/edge/internal/eventcenter"
)

func TestWhatIsWrongWithASetting(t *testing.T) {
	for address, fault := range map[string]string{
		"":                                     "",
		"http://center":                        "",
		"https://center.example:8443/api/v1/":  "",
		"http://[::1]:80":                      "",
		"center.example":                       "must begin with https:// or http://",
		"ftp://center.example":                 "must begin with https:// or http://",
		"//center.example":                     "must begin with https:// or http://",
		"https://":                             "must name a host",
		"https://:443":                         "must name a host",
		"https://hub:sesame@center.example":    "must not hold a user or a password",
		"https://sesame@center.example":        "must not hold a user or a password",
		"https://center.example?key=sesame":    "must not have a query",
		"https://center.example?":              "must not have a query",
		"https://center.example#x":             "must not have a fragment",
		"https://center.example/a/../b":        "must have a plain path",
		"https://center.example/%2fsesame":     "must have a plain path",
		"https://center.example:port":          "must be a URL such as https://",
		"https://hub:ses%zzame@center.example": "must be a URL such as https://",
	} {
		err := eventcenter.Config{URL: address, MaxBody: 1024}.Validate()
		if fault == "" {
			if err != nil {
				t.Errorf("%s: %v", address, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "HUB_EVENT_CENTER_URL: "+fault) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v, want %s", address, err, fault)
		}
	}
	err := eventcenter.Config{TokenFile: "/token"}.Validate()
	for _, want := range []string{"HUB_EVENT_CENTER_TOKEN_FILE: needs HUB_EVENT_CENTER_URL", "HUB_EVENT_CENTER_MAX_BODY: must be at least 1024 bytes, not 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestATokenThatIsNoneIsRefusedWithoutBeingTold(t *testing.T) {
	for content, good := range map[string]bool{"sesame": true, "sesame\n": true, " sesame \r\n": true, "": false, "\n": false, "sesame sesame": false, "ses\x00ame": false, "sésame": false} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := eventcenter.New(eventcenter.Deps{
			Config: eventcenter.Config{URL: "http://center.test", TokenFile: file}, RemoteAddr: func(*http.Request) string { return "" },
			Logger: slog.New(slog.DiscardHandler),
		})
		if (err == nil) != good || err != nil && (!strings.HasPrefix(err.Error(), "HUB_EVENT_CENTER_TOKEN_FILE: ") || strings.Contains(err.Error(), "ame")) {
			t.Errorf("%q: %v", content, err)
		}
	}
}
