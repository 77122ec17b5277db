package origin_test

import (
	"net/url"
	"testing"

	"example.com/hub/services/edge/internal/origin"
)

func TestOriginsAreThoseOfBrowsers(t *testing.T) {
	for text, want := range map[string]string{
		"https://Hub.Test:443/below?x#y": "https://hub.test",
		"https://hub.test:80":            "https://hub.test:80",
		"http://hub.test:80/":            "http://hub.test",
		"HTTP://localhost:8080":          "http://localhost:8080",
		"http://[::1]:8080":              "http://[::1]:8080",
		"https://user@hub.test":          "https://hub.test",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := origin.Of(u); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "Localhost": true, "127.0.0.1": true, "127.8.8.8": true, "::1": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "localhost.test": false, "[::1]": false, "127.0.0.1:80": false,
	} {
		if got := origin.Loopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestOriginsAreWrittenInOneWay(t *testing.T) {
	for _, good := range []string{"https://portal.test", "https://portal.test:8443", "http://localhost:3000", "http://[::1]:3000", "https://xn--prtal-jua.test"} {
		if err := origin.Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "*", "null", "https://*", "https://*.portal.test", "portal.test", "//portal.test", "https:portal.test", "https://", "https://:443",
		"https://portal.test/", "https://portal.test/x", "https://portal.test?", "https://portal.test#", "https://user@portal.test",
		"https://Portal.test", "HTTPS://portal.test", "https://portal.test:443", "http://portal.test:80", "ftp://portal.test", "https://portal.test ",
		"https://portal.test, https://other.test", "file://x",
	} {
		if err := origin.Check(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
