package login_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/hub/services/edge/internal/login"
)

// fakeSealer seals nothing.
type fakeSealer struct{}

func (fakeSealer) Seal(_ string, v any) (string, error) {
	b, err := json.Marshal(v)
	return url.QueryEscape(string(b)), err
}

func (fakeSealer) Open(_, text string, into any) error {
	plain, err := url.QueryUnescape(text)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(plain), into)
}

func TestAPageWithoutASessionLeadsToTheLogin(t *testing.T) {
	b := newBench(t, func(d *login.Deps) { d.PublicURL = "https://hub.test" })
	for name, tt := range map[string]struct {
		host, target, site string
		refresh, location  string
	}{
		"from here":                  {"", "/portal/", "same-origin", "", "/portal/login?returnTo=%2Fportal%2F"},
		"typed":                      {"", "/apps/x/jump?to=/a%26b&c=d", "none", "", "/portal/login?returnTo=%2Fapps%2Fx%2Fjump%3Fto%3D%2Fa%2526b%26c%3Dd"},
		"from a sibling":             {"", "/portal/", "same-site", "", "/portal/login?returnTo=%2Fportal%2F"},
		"from elsewhere":             {"", "/portal/", "cross-site", "/portal/?b=1", ""},
		"from elsewhere, with query": {"", "/apps/x/jump?to=/a", "cross-site", "/apps/x/jump?to=/a&amp;b=1", ""},
		"from who knows where":       {"", "/portal/", "", "/portal/?b=1", ""},
		"once more":                  {"", "/portal/?b=1", "cross-site", "", "/portal/login?returnTo=%2Fportal%2F"},
		"once more, with query":      {"", "/apps/x/jump?to=/a&b=1", "same-origin", "", "/portal/login?returnTo=%2Fapps%2Fx%2Fjump%3Fto%3D%2Fa"},
		"by another name":            {"hub.internal:8080", "/portal/?x=1", "cross-site", "", "https://hub.test/portal/?x=1"},
		"by another port":            {"hub.test:8443", "/portal/", "none", "", "https://hub.test/portal/"},
		"by its port":                {"HUB.test:443", "/portal/", "none", "", "/portal/login?returnTo=%2Fportal%2F"},
		"login by another name":      {"localhost", "/portal/login?returnTo=/portal/a", "none", "", "https://hub.test/portal/login?returnTo=/portal/a"},
	} {
		r := httptest.NewRequest(http.MethodGet, tt.target, nil)
		r.Host = "hub.test"
		if tt.host != "" {
			r.Host = tt.host
		}
		if tt.site != "" {
			r.Header.Set("Sec-Fetch-Site", tt.site)
		}
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != tt.location || (got != "") != (w.Code == http.StatusSeeOther) {
			t.Errorf("%s: %d to %q, want %q", name, w.Code, got, tt.location)
		}
		if tt.refresh != "" && (w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `content="0; url=`+tt.refresh+`"`)) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
