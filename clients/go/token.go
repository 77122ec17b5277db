package hub

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"google.golang.org/grpc/codes"
)

// TokenPath is where the edge issues tokens, below its address.
const TokenPath = "/api/login/oauth/token"

// TokenSource gives the tokens of calls. Its methods may be called from many goroutines.
type TokenSource interface {
	// Token gives a token that is good now.
	Token(ctx context.Context) (string, error)
	// Refused tells that Hub did not take this token, so that Token gives another one.
	Refused(token string)
}

// StaticToken is a token that somebody else looks after.
type StaticToken string

// Token implements [TokenSource].
func (t StaticToken) Token(context.Context) (string, error) { return string(t), nil }

// Refused implements [TokenSource]; there is no other token.
func (StaticToken) Refused(string) {}

// Credentials are how a client gets its tokens (RFC 6749 section 4.4).
type Credentials struct {
	// URL is the address of the edge, such as https://hub.example.com; or with a path the whole address of
	// another provider's token endpoint.
	URL string
	// ID and Secret are the client's.
	ID, Secret string
	// Scopes are asked for; none asks for all that the client may have.
	Scopes []string
	// Client makes the requests; nil is http.DefaultClient. A request ends after 10 seconds in any case.
	Client *http.Client
}

const (
	// fetchTimeout bounds one request for a token.
	fetchTimeout = 10 * time.Second
	// renewAhead is how long before its end a token is renewed, or a fifth of its lifetime if that is less.
	renewAhead = time.Minute
	// renewPause is between two attempts to renew a token that is still good.
	renewPause = 5 * time.Second
)

// Tokens get a client's tokens at the token endpoint and keep the last one. It is renewed a minute before its
// end by one call at a time, while the others go on with it; without a good one they wait for that call.
type Tokens struct {
	config clientcredentials.Config
	client *http.Client

	mu       sync.Mutex
	token    string
	ends     time.Time // of the token
	renews   time.Time // when the token is to be replaced
	fetching *fetch    // nil while no call fetches
}

// fetch is one request for a token, whose result others wait for.
type fetch struct {
	done  chan struct{} // closed when the rest is set
	token string
	err   error
	left  bool // its caller's context ended, which tells nothing of the endpoint
}

// NewTokens makes a source for a client's credentials. It asks for nothing before the first call.
func NewTokens(c Credentials) *Tokens {
	url := strings.TrimSuffix(c.URL, "/")
	if _, rest, _ := strings.Cut(url, "://"); !strings.Contains(rest, "/") {
		url += TokenPath
	}
	return &Tokens{
		config: clientcredentials.Config{
			ClientID: c.ID, ClientSecret: c.Secret, TokenURL: url, Scopes: c.Scopes,
			AuthStyle: oauth2.AuthStyleInParams,
		},
		client: cmp.Or(c.Client, http.DefaultClient),
	}
}

// Token implements [TokenSource]. It fails with an [Error]: Unauthenticated where the endpoint does not take
// the credentials, and Unavailable where it cannot be reached or is busy.
func (t *Tokens) Token(ctx context.Context) (string, error) {
	for {
		t.mu.Lock()
		now := time.Now()
		good := now.Before(t.ends)
		if good && (now.Before(t.renews) || t.fetching != nil) {
			token := t.token
			t.mu.Unlock()
			return token, nil
		}
		f := t.fetching
		if f == nil {
			f = &fetch{done: make(chan struct{})}
			t.fetching = f
			t.mu.Unlock()
			return t.run(ctx, f)
		}
		t.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return "", contextError(ctx)
		}
		if !f.left {
			return f.token, f.err
		}
	}
}

// Refused implements [TokenSource]. Many calls may have been made with the token; one renews it.
func (t *Tokens) Refused(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token, t.ends = "", time.Time{}
	}
}

// run fetches a token for everybody. Where that fails and the old one is still good, that does.
func (t *Tokens) run(ctx context.Context, f *fetch) (string, error) {
	began := time.Now()
	issued, err := t.ask(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fetching = nil
	defer close(f.done)
	switch {
	case err == nil:
		t.token, t.ends = issued.AccessToken, issued.Expiry
		if t.ends.IsZero() { // it never says when it ends
			t.ends = began.Add(24 * time.Hour)
		}
		t.renews = t.ends.Add(-min(renewAhead, t.ends.Sub(began)/5))
	case time.Now().Before(t.ends):
		t.renews = time.Now().Add(renewPause)
	default:
		f.err, f.left = err, ctx.Err() != nil
		return "", err
	}
	f.token = t.token
	return f.token, nil
}

func (t *Tokens) ask(ctx context.Context) (*oauth2.Token, error) {
	limited, cancel := context.WithTimeoutCause(ctx, fetchTimeout, errSlowIssuer)
	defer cancel()
	issued, err := t.config.Token(context.WithValue(limited, oauth2.HTTPClient, t.client))
	if err == nil {
		return issued, nil
	}
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	return nil, tokenError(err)
}

var errSlowIssuer = errors.New("the token endpoint does not answer")

// tokenError says why there is no token: because of the credentials, or because of the endpoint.
func tokenError(err error) error {
	refusal := new(oauth2.RetrieveError)
	if !errors.As(err, &refusal) {
		return &Error{Code: codes.Unavailable, Message: "the token endpoint cannot be reached", cause: err}
	}
	e := &Error{Code: codes.Unauthenticated, cause: err}
	e.Message = "no token: " + cmp.Or(refusal.ErrorCode, refusal.Response.Status)
	if refusal.ErrorDescription != "" {
		e.Message += ", " + refusal.ErrorDescription
	}
	if s := refusal.Response.StatusCode; s >= 500 || s == http.StatusTooManyRequests {
		e.Code, e.RetryAfter = codes.Unavailable, retryAfter(refusal.Response)
	}
	return e
}

// contextError is the Error of a context that has ended.
func contextError(ctx context.Context) error {
	code := codes.Canceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = codes.DeadlineExceeded
	}
	return &Error{Code: code, Message: context.Cause(ctx).Error(), cause: ctx.Err()}
}
