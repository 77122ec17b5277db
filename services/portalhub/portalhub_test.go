package portalhub_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/config"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/grpcserver"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/store/sqlite"
)

const key = "kXq2vBn7RtYw9LmZp4HsDc6GfJa8TeUo"

// tokens takes "client/scope" for a token.
type tokens struct{}

func (tokens) Verify(_ context.Context, raw string) (auth.Principal, error) {
	client, scope, ok := strings.Cut(raw, "/")
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "the token is not valid")
	}
	return auth.Principal{Client: client, Scopes: []string{scope}}, nil
}

// clock is the time of a test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func load(t *testing.T, environ ...string) (portalhub.Config, error) {
	t.Helper()
	var c portalhub.Config
	err := config.Load(&c, environ)
	return c, err
}

func openStore(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "portalhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// dial serves the hub in memory behind the interceptor that every binary uses.
func dial(t *testing.T, now func() time.Time) peoplev1.SessionServiceClient {
	t.Helper()
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	service, err := portalhub.New(portalhub.Deps{Config: c, Store: openStore(t), Clock: now})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, service)
}

func serve(t *testing.T, service *portalhub.Service) peoplev1.SessionServiceClient {
	t.Helper()
	options := grpcserver.Options{Verifier: tokens{}}
	var err error
	if options.Edges.Key, err = internalkey.New(key); err != nil {
		t.Fatal(err)
	}
	options.Admit(service)
	local := grpcserver.NewLocal(options)
	service.Register(local)
	return peoplev1.NewSessionServiceClient(local)
}

func as(t *testing.T, token string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
}

func hash(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func begin(id string) *peoplev1.BeginSessionRequest {
	return &peoplev1.BeginSessionRequest{Hash: hash(id), Username: "amy", Claims: []string{"hub-admin"}}
}

func renew(id string, passive bool) *peoplev1.RenewSessionRequest {
	return &peoplev1.RenewSessionRequest{
		Hash: hash(id), Idle: durationpb.New(30 * time.Minute), Lifetime: durationpb.New(8 * time.Hour), Passive: passive,
	}
}

// wantActive checks whether a session lives.
func wantActive(t *testing.T, client peoplev1.SessionServiceClient, r *peoplev1.RenewSessionRequest, want bool) {
	t.Helper()
	got, err := client.RenewSession(as(t, key), r)
	if err != nil {
		t.Fatal(err)
	}
	claims := []string{"hub-admin"}
	if !want {
		claims = nil
	}
	if diff := cmp.Diff(claims, got.GetClaims()); diff != "" || got.GetActive() != want {
		t.Errorf("active %v, want %v; claims (-want +got):\n%s", got.GetActive(), want, diff)
	}
}

func TestASessionFromLoginToLogout(t *testing.T) {
	c := newClock()
	client := dial(t, c.time)
	wantActive(t, client, renew("a", false), false)
	if _, err := client.BeginSession(as(t, key), begin("a")); err != nil {
		t.Fatal(err)
	}
	wantActive(t, client, renew("a", false), true)
	wantActive(t, client, renew("b", false), false)
	for range 2 {
		if _, err := client.EndSession(as(t, key), &peoplev1.EndSessionRequest{Hash: hash("a")}); err != nil {
			t.Fatal(err)
		}
		wantActive(t, client, renew("a", false), false)
		wantActive(t, client, renew("a", true), false)
	}
}

func TestASessionIsIdleFromItsLastRenewalOn(t *testing.T) {
	c := newClock()
	client := dial(t, c.time)
	if _, err := client.BeginSession(as(t, key), begin("a")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c.pass(30*time.Minute - time.Millisecond)
		wantActive(t, client, renew("a", false), true)
	}
	c.pass(30 * time.Minute)
	wantActive(t, client, renew("a", false), false)
	wantActive(t, client, renew("a", true), false)
}

func TestASessionEndsWithItsLifetime(t *testing.T) {
	c := newClock()
	client := dial(t, c.time)
	if _, err := client.BeginSession(as(t, key), begin("a")); err != nil {
		t.Fatal(err)
	}
	for range 8*4 - 1 {
		c.pass(15 * time.Minute)
		wantActive(t, client, renew("a", false), true)
	}
	c.pass(15*time.Minute - time.Millisecond)
	wantActive(t, client, renew("a", false), true)
	c.pass(time.Millisecond)
	wantActive(t, client, renew("a", false), false)
}

func TestWhoOnlyAsksRenewsNothing(t *testing.T) {
	c := newClock()
	client := dial(t, c.time)
	if _, err := client.BeginSession(as(t, key), begin("a")); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		c.pass(5 * time.Minute)
		wantActive(t, client, renew("a", true), true)
	}
	c.pass(5 * time.Minute)
	wantActive(t, client, renew("a", true), false)
}

// TestRenewalsOfAMinuteAreNotedOnce has sessions that end 29 minutes after the last request at the earliest.
func TestRenewalsOfAMinuteAreNotedOnce(t *testing.T) {
	c := newClock()
	client := dial(t, c.time)
	if _, err := client.BeginSession(as(t, key), begin("a")); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Minute - time.Millisecond)
	wantActive(t, client, renew("a", false), true)
	c.pass(29*time.Minute + time.Millisecond)
	wantActive(t, client, renew("a", true), false)

	if _, err := client.BeginSession(as(t, key), begin("b")); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Minute)
	wantActive(t, client, renew("b", false), true)
	c.pass(30*time.Minute - time.Millisecond)
	wantActive(t, client, renew("b", true), true)
}

func TestOnlyEdgesMayAsk(t *testing.T) {
	client := dial(t, time.Now)
	user := metadata.NewOutgoingContext(t.Context(), metadata.New(onbehalf.Encode(auth.Principal{User: "amy", Permissions: []string{"directory"}})))
	wantRefused := func(who string, ctx context.Context, want codes.Code) {
		_, begun := client.BeginSession(ctx, begin("a"))
		_, renewed := client.RenewSession(ctx, renew("a", false))
		_, ended := client.EndSession(ctx, &peoplev1.EndSessionRequest{Hash: hash("a")})
		for _, err := range []error{begun, renewed, ended} {
			if status.Code(err) != want {
				t.Errorf("%s: %v, want %v", who, err, want)
			}
		}
	}
	wantRefused("nobody", t.Context(), codes.Unauthenticated)
	wantRefused("a bad token", as(t, "x"), codes.Unauthenticated)
	wantRefused("a client", as(t, "erp/client"), codes.PermissionDenied)
	wantRefused("a client of the directory", as(t, "hr/directory"), codes.PermissionDenied)
	wantRefused("a user, without an edge", user, codes.Unauthenticated)
	wantRefused("a user, by an edge", metadata.AppendToOutgoingContext(user, "authorization", "Bearer "+key), codes.PermissionDenied)
	wantRefused("a user, by a client", metadata.AppendToOutgoingContext(user, "authorization", "Bearer erp/client"), codes.Unauthenticated)
	wantActive(t, client, renew("a", false), false)
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	client := dial(t, time.Now)
	long := begin("a")
	long.Claims = []string{"x", strings.Repeat("x", 129)}
	many := begin("a")
	many.Claims = make([]string, 10_001)
	idle := renew("a", false)
	idle.Idle = nil
	for want, call := range map[string]func() error{
		"hash must be a SHA-256 in base64url without padding": func() error {
			// The id of a session, in the place of its hash.
			_, err := client.BeginSession(as(t, key), &peoplev1.BeginSessionRequest{Hash: "NYGXZ7W3BKGTLT4SQF2P6MBHCE", Username: "amy"})
			return err
		},
		"username must not be empty": func() error {
			_, err := client.BeginSession(as(t, key), &peoplev1.BeginSessionRequest{Hash: hash("a")})
			return err
		},
		"claims[1] must be at most 128 characters": func() error {
			_, err := client.BeginSession(as(t, key), long)
			return err
		},
		"claims must have at most 10000 entries": func() error {
			_, err := client.BeginSession(as(t, key), many)
			return err
		},
		"idle must be more than 0": func() error {
			_, err := client.RenewSession(as(t, key), idle)
			return err
		},
	} {
		if st := status.Convert(call()); st.Code() != codes.InvalidArgument || st.Message() != want {
			t.Errorf("%v %q, want %q", st.Code(), st.Message(), want)
		}
	}
}
