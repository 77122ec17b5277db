package forwarder_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

func TestAnswersOfTheProvider(t *testing.T) {
	const refusal = `{"error":"invalid_client","error_description":"AADSTS7000215","error_codes":[7000215]}`
	const inWords = `"error_description":"the identity provider refused the request"}`
	large := `{"access_token":"` + strings.Repeat("x", 64<<10-len(`{"access_token":""}`)) + `"}`
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		status int
		body   string // empty: the provider counts as away
	}{
		"success":             {reply(200, "application/json", goodAnswer), 200, goodAnswer},
		"with a charset":      {reply(200, "Application/JSON; charset=utf-8", goodAnswer), 200, goodAnswer},
		"created":             {reply(201, "application/json", goodAnswer), 201, goodAnswer},
		"64 KiB":              {reply(200, "application/json", large), 200, large},
		"over 64 KiB":         {reply(200, "application/json", large+" "), 503, ""},
		"refusal":             {reply(400, "application/json", refusal), 400, refusal},
		"wrong secret":        {reply(401, "application/json", refusal), 401, refusal},
		"success, HTML":       {reply(200, "text/html", "<html>"), 503, ""},
		"success, JSON text":  {reply(200, "text/plain", goodAnswer), 503, ""},
		"success, no content": {reply(204, "application/json", ""), 503, ""},
		"success, an array":   {reply(200, "application/json", "[]"), 503, ""},
		"success, cut off":    {reply(200, "application/json", goodAnswer[:20]), 503, ""},
		"refusal, HTML":       {reply(400, "text/html", "<html>"), 400, `{"error":"invalid_request",` + inWords},
		"not found, HTML":     {reply(404, "text/html", "<html>"), 404, `{"error":"invalid_request",` + inWords},
		"wrong secret, HTML":  {reply(401, "text/html", "<html>"), 401, `{"error":"invalid_client",` + inWords},
		"too many, HTML":      {reply(429, "text/html", "<html>"), 429, `{"error":"slow_down",` + inWords},
		"refusal, over size":  {reply(400, "application/json", large+" "), 400, `{"error":"invalid_request",` + inWords},
		"server error":        {reply(500, "application/json", refusal), 503, ""},
		"unavailable":         {reply(503, "application/json", refusal), 503, ""},
		"not modified":        {reply(304, "application/json", ""), 503, ""},
		"broken off":          {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 503, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.answers(tc.answer)
			f := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL})
			if tc.body == "" {
				f.wantAway(t, oauthtest.Request(oauthtest.Form()))
				return
			}
			f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), tc.status, tc.body)
		})
	}
}

func TestNoMoreThan64KiBAreRead(t *testing.T) {
	endless := strings.NewReader(`{"access_token":"` + strings.Repeat("x", 1<<20) + `"}`)
	whole := endless.Len()
	f := forward(t, forwarder.Config{TokenURL: "https://id.test/token"}, forwarder.Deps{
		Transport: network(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
				Body: io.NopCloser(endless), Request: r,
			}, nil
		}),
	})
	f.wantAway(t, oauthtest.Request(oauthtest.Form()))
	if read := whole - endless.Len(); read > 64<<10+1 {
		t.Errorf("%d bytes were read", read)
	}
}

func TestHeadersOfTheProvidersAnswer(t *testing.T) {
	p := newProvider(t)
	f := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL})
	p.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "id=1")
		w.Header().Set("Cache-Control", "public")
		w.Header().Set("Retry-After", "7")
		reply(http.StatusTooManyRequests, "application/json", `{"error":"slow_down"}`)(w, r)
	})
	if got := f.send(t, oauthtest.Request(oauthtest.Form())).Header(); got.Get("Retry-After") != "7" || got.Get("Set-Cookie") != "" {
		t.Errorf("header of a refusal is %v", got)
	}
	p.answers(reply(http.StatusUnauthorized, "application/json", `{"error":"invalid_client"}`))
	if got := f.send(t, oauthtest.Request(oauthtest.Form())).Header()["Www-Authenticate"]; got != nil {
		t.Errorf("challenge after a form is %q", got)
	}
	anonymous := oauthtest.Request(oauthtest.Form("client_id", "", "client_secret", ""))
	if got := f.send(t, oauthtest.Basic(anonymous, "erp", "x")).Header().Get("WWW-Authenticate"); !strings.HasPrefix(got, "Basic ") {
		t.Errorf("challenge after HTTP Basic is %q", got)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := newProvider(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		p := newProvider(t)
		p.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+"/token", status) })
		forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL}).wantAway(t, oauthtest.Request(oauthtest.Form()))
	}
	if elsewhere.asked() != 0 {
		t.Error("a secret was carried to somewhere else")
	}
}

// A provider closes connections that are kept, and the edge learns of it from the next request.
func TestClosedConnectionCostsNoRequest(t *testing.T) {
	p := newProvider(t)
	f := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL})
	f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
	requests := 0
	p.answers(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			panic(http.ErrAbortHandler)
		}
		reply(http.StatusOK, "application/json", goodAnswer)(w, r)
	})
	f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
}

func TestProviderThatHangsIsGivenUpAfter5Seconds(t *testing.T) {
	for name, endpoint := range map[string]string{"token endpoint": "https://id.test/token", "discovery": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := forward(t, forwarder.Config{TokenURL: endpoint}, forwarder.Deps{
					Issuer: "https://id.test",
					Transport: network(func(r *http.Request) (*http.Response, error) {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}),
				})
				start := time.Now()
				f.wantAway(t, oauthtest.Request(oauthtest.Form()))
				if took := time.Since(start); took == 0 || took > 5*time.Second {
					t.Errorf("it took %v, want at most 5s", took)
				}
			})
		})
	}
}
