package forwarded_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/hub/services/edge/internal/forwarded"
)

// trusted are the proxies of the tests.
var trusted = []string{"10.0.0.0/8", "192.0.2.1", "fd00::/8"}

func TestCaller(t *testing.T) {
	const xff, rfc = "X-Forwarded-For", "Forwarded"
	for _, tt := range []struct {
		name, peer string
		headers    [][2]string
		want       string
	}{
		{"no header", "10.0.0.1:99", nil, "10.0.0.1"},
		{"one proxy", "10.0.0.1:99", [][2]string{{xff, "203.0.113.5"}}, "203.0.113.5"},
		{"two proxies", "10.0.0.1:99", [][2]string{{xff, "203.0.113.5, 10.2.3.4"}}, "203.0.113.5"},
		{"proxy that is a single address", "192.0.2.1:99", [][2]string{{xff, "203.0.113.5"}}, "203.0.113.5"},
		{"proxy with IPv6", "[fd00::1]:99", [][2]string{{xff, "2001:db8::5"}}, "2001:db8::5"},
		{"proxy with IPv4 in IPv6", "[::ffff:10.0.0.1]:99", [][2]string{{xff, "203.0.113.5"}}, "203.0.113.5"},
		{"proxy with a zone", "[fd00::1%eth0]:99", [][2]string{{xff, "203.0.113.5"}}, "203.0.113.5"},
		{"caller with IPv4 in IPv6", "10.0.0.1:99", [][2]string{{xff, "::ffff:203.0.113.5"}}, "203.0.113.5"},
		{"ports", "10.0.0.1:99", [][2]string{{xff, "203.0.113.5:1, 10.2.3.4:2"}}, "203.0.113.5"},
		{"port of IPv6", "10.0.0.1:99", [][2]string{{xff, "[2001:db8::5]:1"}}, "2001:db8::5"},
		{"brackets", "10.0.0.1:99", [][2]string{{xff, "[2001:db8::5]"}}, "2001:db8::5"},
		{"lines count in their order", "10.0.0.1:99", [][2]string{{xff, "1.1.1.1, 203.0.113.5"}, {xff, "10.2.3.4"}}, "203.0.113.5"},
		{"all are proxies", "10.0.0.1:99", [][2]string{{xff, "10.9.9.9, 10.2.3.4"}}, "10.9.9.9"},

		{"stranger who names an address", "198.51.100.7:99", [][2]string{{xff, "203.0.113.5"}}, "198.51.100.7"},
		{"stranger who names a proxy", "198.51.100.7:99", [][2]string{{xff, "10.0.0.1"}}, "198.51.100.7"},
		{"address that came with the request", "10.0.0.1:99", [][2]string{{xff, "1.1.1.1, 203.0.113.5"}}, "203.0.113.5"},
		{"proxy that came with the request", "10.0.0.1:99", [][2]string{{xff, "1.1.1.1, 10.2.3.4, 203.0.113.5"}}, "203.0.113.5"},
		{"line that came with the request", "10.0.0.1:99", [][2]string{{xff, "1.1.1.1"}, {xff, "203.0.113.5"}}, "203.0.113.5"},
		{"nonsense before the caller", "10.0.0.1:99", [][2]string{{xff, "<script>, 203.0.113.5"}}, "203.0.113.5"},
		{"nonsense before a proxy", "10.0.0.1:99", [][2]string{{xff, "1.1.1.1, nonsense, 10.2.3.4"}}, "10.2.3.4"},
		{"nonsense alone", "10.0.0.1:99", [][2]string{{xff, "unknown"}}, "10.0.0.1"},
		{"empty", "10.0.0.1:99", [][2]string{{xff, ""}}, "10.0.0.1"},
		{"commas alone", "10.0.0.1:99", [][2]string{{xff, ",,"}}, "10.0.0.1"},
		{"empty entry at the end", "10.0.0.1:99", [][2]string{{xff, "203.0.113.5,"}}, "10.0.0.1"},
		{"X-Real-IP is nobody's word", "10.0.0.1:99", [][2]string{{"X-Real-Ip", "1.1.1.1"}}, "10.0.0.1"},

		{"RFC 7239", "10.0.0.1:99", [][2]string{{rfc, "for=203.0.113.5;proto=https, for=10.2.3.4"}}, "203.0.113.5"},
		{"RFC 7239 with IPv6", "10.0.0.1:99", [][2]string{{rfc, `proto=https; For="[2001:db8::5]:4711"`}}, "2001:db8::5"},
		{"RFC 7239, came with the request", "10.0.0.1:99", [][2]string{{rfc, "for=1.1.1.1, for=203.0.113.5"}}, "203.0.113.5"},
		{"RFC 7239, hidden", "10.0.0.1:99", [][2]string{{rfc, "for=1.1.1.1, for=_secret, for=10.2.3.4"}}, "10.2.3.4"},
		{"RFC 7239, unknown", "10.0.0.1:99", [][2]string{{rfc, "for=unknown"}}, "10.0.0.1"},
		{"RFC 7239 without for", "10.0.0.1:99", [][2]string{{rfc, "for=1.1.1.1, by=10.2.3.4"}}, "10.0.0.1"},
		{"RFC 7239, comma in quotes", "10.0.0.1:99", [][2]string{{rfc, `for="1.1.1.1, 203.0.113.5"`}}, "10.0.0.1"},

		{"both, of one mind", "10.0.0.1:99", [][2]string{{xff, "203.0.113.5"}, {rfc, "for=203.0.113.5"}}, "203.0.113.5"},
		{"both, one of them forged", "10.0.0.1:99", [][2]string{{xff, "203.0.113.5"}, {rfc, "for=1.1.1.1"}}, "10.0.0.1"},
		{"both, the other one forged", "10.0.0.1:99", [][2]string{{xff, "1.1.1.1"}, {rfc, "for=203.0.113.5"}}, "10.0.0.1"},

		{"connection without an address", "@", [][2]string{{xff, "203.0.113.5"}}, "@"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proxies, err := forwarded.Parse(trusted)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr = tt.peer
			for _, h := range tt.headers {
				r.Header.Add(h[0], h[1])
			}
			if got := proxies.Caller(r); got != tt.want {
				t.Errorf("caller %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNobodyIsTrustedUnlessNamed(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.RemoteAddr = "127.0.0.1:99"
	r.Header.Set("X-Forwarded-For", "1.1.1.1")
	if got := (forwarded.Proxies{}).Caller(r); got != "127.0.0.1" {
		t.Errorf("caller %s, want that of the connection", got)
	}
}

func TestBadProxiesAreNamed(t *testing.T) {
	const none = " is no address and no network in CIDR notation"
	for _, tt := range []struct{ text, want string }{
		{"10.0.0.0/33", `"10.0.0.0/33"` + none},
		{"proxy", `"proxy"` + none},
		{"", `""` + none},
		{" 10.0.0.1", `" 10.0.0.1"` + none},
		{"fe80::1%eth0", `"fe80::1%eth0"` + none},
		{"::ffff:0.0.0.0/96", `"::ffff:0.0.0.0/96"` + none},
		{"0.0.0.0/0", "0.0.0.0/0 trusts everybody"},
		{"::/0", "::/0 trusts everybody"},
	} {
		if _, err := forwarded.Parse([]string{"10.0.0.0/8", tt.text}); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// FuzzCaller holds that what stands left of the last entry decides nothing, since it may be forged.
func FuzzCaller(f *testing.F) {
	f.Add("1.1.1.1", "")
	f.Add("10.1.1.1, ,", "for=")
	f.Add(`"`, `for="`)
	proxies, err := forwarded.Parse(trusted)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, list, rfc string) {
		if strings.ContainsAny(list+rfc, "\r\n\x00") {
			return // no header
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = "10.0.0.1:99"
		r.Header["X-Forwarded-For"] = []string{list, "203.0.113.5"}
		if got := proxies.Caller(r); got != "203.0.113.5" {
			t.Errorf("behind %q the caller is %s", list, got)
		}
		r.Header["X-Forwarded-For"] = []string{list + ", 203.0.113.5"}
		r.Header["Forwarded"] = []string{rfc}
		if got := proxies.Caller(r); got != "203.0.113.5" && got != "10.0.0.1" {
			t.Errorf("behind %q and %q the caller is %s", list, rfc, got)
		}
	})
}
