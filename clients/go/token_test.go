package hub_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	hub "example.com/hub/clients/go"
)

// issuer is a token endpoint, without a network, so that its clock can be synctest's.
type issuer struct {
	issued atomic.Int64
	// answer may take the place of a token.
	answer func(*http.Request) *http.Response
}

// RoundTrip implements http.RoundTripper. Tokens are "token-1", "token-2" and so on, for an hour.
func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	if i.answer != nil {
		if answer := i.answer(r); answer != nil {
			return answer, nil
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"access_token":"token-%d","token_type":"Bearer","expires_in":3600}`, i.issued.Add(1))
	return answerOf(http.StatusOK, body), nil
}

func answerOf(status int, body string) *http.Response {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.WriteString(body)
	return w.Result()
}

// answering answers once.
func answering(with *http.Response) func(*http.Request) *http.Response {
	return func(*http.Request) *http.Response {
		answer := with
		with = nil
		return answer
	}
}

func (i *issuer) tokens() *hub.Tokens {
	return hub.NewTokens(hub.Credentials{
		URL: "http://hub.test", ID: "erp", Secret: "s3cret", Client: &http.Client{Transport: i},
	})
}

func wantToken(t *testing.T, source hub.TokenSource, want string) {
	t.Helper()
	if got, err := source.Token(t.Context()); got != want || err != nil {
		t.Errorf("the token is %q, %v; want %q", got, err, want)
	}
}

func TestTokenIsAskedForAsTheEndpointTakesIt(t *testing.T) {
	for url, want := range map[string]string{
		"http://hub.test":               "http://hub.test/api/login/oauth/token",
		"http://hub.test/":              "http://hub.test/api/login/oauth/token",
		"https://login.test/realm/oidc": "https://login.test/realm/oidc",
	} {
		i := &issuer{answer: func(r *http.Request) *http.Response {
			if err := r.ParseForm(); err != nil {
				t.Error(err)
			}
			if got := r.URL.String(); got != want {
				t.Errorf("it is asked at %s, want %s", got, want)
			}
			if got, want := r.PostForm.Encode(), "client_id=erp&client_secret=s3cret&grant_type=client_credentials&scope=client"; got != want {
				t.Errorf("the form is %s, want %s", got, want)
			}
			return nil
		}}
		wantToken(t, hub.NewTokens(hub.Credentials{
			URL: url, ID: "erp", Secret: "s3cret", Scopes: []string{"client"}, Client: &http.Client{Transport: i},
		}), "token-1")
	}
}

func TestTokenIsKeptAndRenewedAheadOfItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := (&issuer{}).tokens()
		wantToken(t, source, "token-1")
		pass(time.Hour - time.Minute - time.Second)
		wantToken(t, source, "token-1")
		pass(time.Second)
		wantToken(t, source, "token-2")
	})
}

func TestTokenIsRenewedByOneCallWhileOthersUseTheOldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		i := &issuer{}
		source := i.tokens()
		wantToken(t, source, "token-1")
		pass(time.Hour - 30*time.Second)
		i.answer = func(*http.Request) *http.Response { <-release; return nil }
		go wantToken(t, source, "token-2")
		synctest.Wait()
		wantToken(t, source, "token-1")
		close(release)
		synctest.Wait()
		wantToken(t, source, "token-2")
	})
}

func TestTokenIsFetchedOnceForManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		i := &issuer{answer: func(*http.Request) *http.Response { <-release; return nil }}
		source := i.tokens()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { wantToken(t, source, "token-1") })
		}
		synctest.Wait()
		close(release)
		all.Wait()
	})
}

func TestTokenOfACallerThatGaveUpIsFetchedByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		i := &issuer{}
		i.answer = func(r *http.Request) *http.Response {
			if first {
				first = false
				<-r.Context().Done()
			}
			return nil
		}
		source := i.tokens()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := source.Token(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller that gave up gets %v", err)
			}
		}()
		synctest.Wait()
		go wantToken(t, source, "token-1")
		synctest.Wait()
		cancel()
		synctest.Wait()
	})
}

func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	source := (&issuer{}).tokens()
	wantToken(t, source, "token-1")
	source.Refused("token-1")
	wantToken(t, source, "token-2")
	source.Refused("token-1") // by a slower call
	wantToken(t, source, "token-2")
}

func TestTokenThatCannotBeRenewedServesToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		source := i.tokens()
		wantToken(t, source, "token-1")
		i.answer = func(*http.Request) *http.Response { return answerOf(http.StatusServiceUnavailable, "") }
		pass(time.Hour - time.Second)
		wantToken(t, source, "token-1")
		pass(time.Second)
		if _, err := source.Token(t.Context()); codeOf(err) != codes.Unavailable {
			t.Errorf("after its end: %v", err)
		}
		i.answer = nil
		wantToken(t, source, "token-2")
	})
}

func TestTokenErrors(t *testing.T) {
	tests := map[string]struct {
		status     int
		body       string
		retryAfter string
		want       hub.Error
	}{
		"a wrong secret": {
			status: 401, body: `{"error":"invalid_client","error_description":"unknown client or wrong secret"}`,
			want: hub.Error{Code: codes.Unauthenticated, Message: "no token: invalid_client, unknown client or wrong secret"},
		},
		"too many wrong secrets": {
			status: 429, body: `{"error":"slow_down"}`, retryAfter: "7",
			want: hub.Error{Code: codes.Unavailable, Message: "no token: slow_down", RetryAfter: 7 * time.Second},
		},
		"a proxy without an edge": {
			status: 502, body: `<h1>Bad Gateway</h1>`,
			want: hub.Error{Code: codes.Unavailable, Message: "no token: 502 Bad Gateway"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			i := &issuer{answer: func(*http.Request) *http.Response {
				answer := answerOf(tt.status, tt.body)
				answer.Header.Set("Retry-After", tt.retryAfter)
				return answer
			}}
			_, err := i.tokens().Token(t.Context())
			var got *hub.Error
			if !errors.As(err, &got) {
				t.Fatalf("got %v", err)
			}
			if got.Code != tt.want.Code || got.Message != tt.want.Message || got.RetryAfter != tt.want.RetryAfter {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if strings.Contains(fmt.Sprintf("%+v %v", got, errors.Unwrap(got)), "s3cret") {
				t.Errorf("%+v shows the secret", got)
			}
		})
	}
}

func TestTokenEndpointThatIsSilentIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{answer: func(r *http.Request) *http.Response { <-r.Context().Done(); return nil }}
		began := time.Now()
		if _, err := i.tokens().Token(t.Context()); codeOf(err) != codes.Unavailable {
			t.Errorf("got %v", err)
		}
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("it took %v", waited)
		}
	})
}

// codeOf is the code of an Error, or OK.
func codeOf(err error) codes.Code {
	if own := new(hub.Error); errors.As(err, &own) {
		return own.Code
	}
	return codes.OK
}

// pass lets time go by, in synctest.
func pass(d time.Duration) { <-time.After(d) }
