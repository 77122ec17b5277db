package redis_test

import (
	"strings"
	"testing"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/redis"
)

func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		url  string
		want string
	}{
		"one":            {"redis://127.0.0.1:6379/3", ""},
		"TLS":            {"rediss://hub:hunter2@redis.example.com:6379", ""},
		"socket":         {"unix:///run/redis.sock", ""},
		"cluster":        {"redis://:hunter2@a:6379?addr=b:6379&addr=c:6379", ""},
		"no URL":         {"redis://:hunter2@host:not a port/", "HUB_REDIS_URL: not a redis://, rediss:// or unix:// URL"},
		"another scheme": {"http://:hunter2@host", "HUB_REDIS_URL: not a redis://, rediss:// or unix:// URL"},
		"bad cluster":    {"http://:hunter2@host?addr=b:6379", "HUB_REDIS_URL: not a URL of a Redis Cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			var c redis.Config
			err := config.Load(&c, []string{"HUB_REDIS_URL=" + tt.url})
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
