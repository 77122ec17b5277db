package discovery_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/hub/pkg/auth/discovery"
)

func TestAddressIsFound(t *testing.T) {
	for name, tc := range map[string]struct {
		document string // ADDRESS stands for the provider's
		path     string // of the issuer
		want     string
	}{
		"found":             {`{"issuer":"ADDRESS","token_endpoint":"ADDRESS/token"}`, "", "ADDRESS/token"},
		"elsewhere":         {`{"issuer":"ADDRESS","token_endpoint":"https://login.test/t?x=1"}`, "", "https://login.test/t?x=1"},
		"issuer with slash": {`{"issuer":"ADDRESS/","token_endpoint":"ADDRESS/token"}`, "/", "ADDRESS/token"},
		"another issuer":    {`{"issuer":"ADDRESS/","token_endpoint":"ADDRESS/token"}`, "", ""},
		"none":              {`{"issuer":"ADDRESS"}`, "", ""},
		"relative":          {`{"issuer":"ADDRESS","token_endpoint":"/token"}`, "", ""},
		"with a user":       {`{"issuer":"ADDRESS","token_endpoint":"http://u:p@login.test"}`, "", ""},
		"no JSON":           {`<html>`, "", ""},
		"over 1 MiB":        {`{"issuer":"ADDRESS","token_endpoint":"ADDRESS/token"}` + strings.Repeat(" ", 1<<20), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var address string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/.well-known/openid-configuration" {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(strings.ReplaceAll(tc.document, "ADDRESS", address)))
			}))
			defer s.Close()
			address = s.URL
			got, err := discovery.NewClient(nil).Find(t.Context(), address+tc.path, "token_endpoint")
			if want := strings.ReplaceAll(tc.want, "ADDRESS", address); (err == nil) != (want != "") || err == nil && got != want {
				t.Errorf("endpoint is %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestAddressStaysBehindTLS(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":"http://id.test/token"}`, s.URL)
	})
	_, err := discovery.NewClient(s.Client()).Find(t.Context(), s.URL, "token_endpoint")
	if err == nil || !strings.Contains(err.Error(), "from https to http") {
		t.Errorf("error is %v, want a refusal of plain http", err)
	}
}
