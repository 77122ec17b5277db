package hub_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	hub "example.com/hub/clients/go"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func clearTodo(ctx context.Context, c *hub.Client) error {
	_, err := c.Todos.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: "po-1", Result: "approved"})
	return err
}

func detailed(code codes.Code, detail protoadapt.MessageV1) error {
	st, err := status.New(code, "as the test wants").WithDetails(detail)
	if err != nil {
		return err
	}
	return st.Err()
}

func TestCallThatFailsForTheMomentIsRepeated(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.DeadlineExceeded} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			f := &fake{fail: failing(2, code)}
			if err := clearTodo(t.Context(), faked(t, f)); err != nil || f.calls() != 3 {
				t.Errorf("%v after %d calls", err, f.calls())
			}
		})
	}
}

func TestCallThatWouldFailAgainIsNotRepeated(t *testing.T) {
	for _, code := range []codes.Code{
		codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.PermissionDenied, codes.Internal,
		codes.Unimplemented, codes.ResourceExhausted,
	} {
		f := &fake{fail: failing(9, code)}
		if err := clearTodo(t.Context(), faked(t, f)); status.Code(err) != code || f.calls() != 1 {
			t.Errorf("%v: %v after %d calls", code, err, f.calls())
		}
	}
}

func TestLimitedCallWaitsAsLongAsHubSays(t *testing.T) {
	t.Parallel()
	const wait = 150 * time.Millisecond
	f := &fake{}
	f.fail = func(call int) error {
		if call > 1 {
			return nil
		}
		return detailed(codes.ResourceExhausted, &errdetails.RetryInfo{RetryDelay: durationpb.New(wait)})
	}
	// Hub's limits answer with headers, too, after which gRPC itself repeats nothing.
	header := grpc.UnaryInterceptor(func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if err := grpc.SendHeader(ctx, metadata.Pairs("ratelimit", "0")); err != nil {
			return nil, err
		}
		return handle(ctx, r)
	})
	client := dial(t, hub.Config{Target: serve(t, f, header), Plaintext: true})
	began := time.Now()
	if err := clearTodo(t.Context(), client); err != nil || f.calls() != 2 {
		t.Errorf("%v after %d calls", err, f.calls())
	}
	if took := time.Since(began); took < wait {
		t.Errorf("it was repeated after %v, want %v at least", took, wait)
	}
}

func TestLimitThatEndsAfterTheDeadlineIsToldAtOnce(t *testing.T) {
	f := &fake{fail: func(int) error {
		return detailed(codes.ResourceExhausted, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Hour)})
	}}
	err := clearTodo(t.Context(), faked(t, f))
	var e *hub.Error
	if !errors.As(err, &e) || e.Code != codes.ResourceExhausted || e.RetryAfter != time.Hour || f.calls() != 1 {
		t.Errorf("%v after %d calls", err, f.calls())
	}
}

func TestRefusedTokenIsRenewedOnce(t *testing.T) {
	f := &fake{fail: failing(1, codes.Unauthenticated)}
	client := dial(t, hub.Config{Target: serve(t, f), Plaintext: true, Tokens: (&issuer{}).tokens()})
	if err := clearTodo(t.Context(), client); err != nil {
		t.Error(err)
	}
	if want := []string{"Bearer token-1", "Bearer token-2"}; !slices.Equal(f.tokens, want) {
		t.Errorf("the tokens were %q, want %q", f.tokens, want)
	}
	f.fail = failing(99, codes.Unauthenticated)
	if err := clearTodo(t.Context(), client); codeOf(err) != codes.Unauthenticated || f.calls() != 4 {
		t.Errorf("%v after %d calls", err, f.calls())
	}
}

func TestCallWithoutATokenIsNotMade(t *testing.T) {
	t.Parallel()
	f := &fake{}
	i := &issuer{}
	client := dial(t, hub.Config{Target: serve(t, f), Plaintext: true, Tokens: i.tokens()})
	i.answer = answering(answerOf(401, `{"error":"invalid_client"}`))
	if err := clearTodo(t.Context(), client); codeOf(err) != codes.Unauthenticated || f.calls() != 0 {
		t.Errorf("with a wrong secret: %v after %d calls", err, f.calls())
	}
	i.answer = answering(answerOf(503, ""))
	if err := clearTodo(t.Context(), client); err != nil || f.calls() != 1 {
		t.Errorf("when the endpoint is back: %v after %d calls", err, f.calls())
	}
}

func TestCallHasADeadlineAndAUserAgent(t *testing.T) {
	f := &fake{}
	client := dial(t, hub.Config{Target: serve(t, f), Plaintext: true, UserAgent: "erp/7"})
	if err := clearTodo(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if f.deadline < 20*time.Second || f.deadline > 30*time.Second {
		t.Errorf("the deadline is in %v, want 30 s", f.deadline)
	}
	if got := f.agents[0]; !strings.HasPrefix(got, "erp/7 ") {
		t.Errorf("the user agent is %q", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if err := clearTodo(ctx, client); err != nil || f.deadline < 59*time.Minute {
		t.Errorf("%v; a deadline of an hour became one of %v", err, f.deadline)
	}
}

func TestRepeatsEndWithTheContext(t *testing.T) {
	t.Parallel()
	f := &fake{fail: failing(1<<30, codes.Unavailable)}
	client := dial(t, hub.Config{Target: serve(t, f), Plaintext: true, Timeout: 2 * time.Second})
	if err := clearTodo(t.Context(), client); codeOf(err) != codes.Unavailable {
		t.Errorf("after the deadline: %v, want what the server said", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f.fail = func(int) error { cancel(); return status.Error(codes.Unavailable, "away") }
	if err := clearTodo(ctx, client); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

func TestDeadlineInARepeatTellsWhyItWasRepeated(t *testing.T) {
	t.Parallel()
	f := &fake{}
	f.fail = func(call int) error {
		if call == 1 {
			return detailed(codes.ResourceExhausted, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
		}
		return status.Error(codes.DeadlineExceeded, "the call took too long")
	}
	hanging := grpc.UnaryInterceptor(func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if f.calls() > 0 {
			<-ctx.Done()
		}
		return handle(ctx, r)
	})
	client := dial(t, hub.Config{Target: serve(t, f, hanging), Plaintext: true, Timeout: 2 * time.Second})
	if err := clearTodo(t.Context(), client); codeOf(err) != codes.ResourceExhausted {
		t.Errorf("got %v", err)
	}
}

func TestErrorsNameFieldAndRecord(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want hub.Error
	}{
		"field": {
			detailed(codes.InvalidArgument, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "title"}}}),
			hub.Error{Code: codes.InvalidArgument, Field: "title"},
		},
		"missing record": {
			detailed(codes.NotFound, &errdetails.ResourceInfo{ResourceType: "todo", ResourceName: "po-1"}),
			hub.Error{Code: codes.NotFound, Resource: "po-1"},
		},
		"state": {
			detailed(codes.FailedPrecondition, &errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{{Type: "todo", Subject: "po-1"}}}),
			hub.Error{Code: codes.FailedPrecondition, Resource: "po-1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := clearTodo(t.Context(), faked(t, &fake{fail: func(int) error { return tt.err }}))
			var got *hub.Error
			if !errors.As(fmt.Errorf("clear: %w", err), &got) || got.Code != tt.want.Code || got.Field != tt.want.Field ||
				got.Resource != tt.want.Resource || got.Message != "as the test wants" {
				t.Errorf("got %+v", got)
			}
			if st := status.Convert(err); st.Code() != tt.want.Code || len(st.Details()) != 1 {
				t.Errorf("package status sees %v", st)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	target := serve(t, &fake{}, grpc.Creds(credentials.NewServerTLSFromCert(&certified.TLS.Certificates[0])))
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	if err := clearTodo(t.Context(), dial(t, hub.Config{Target: target, TLS: &tls.Config{RootCAs: roots}})); err != nil {
		t.Error(err)
	}
	stranger := dial(t, hub.Config{Target: target, Timeout: 3 * time.Second})
	if err := clearTodo(t.Context(), stranger); codeOf(err) != codes.Unavailable || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
}

func TestDialRefusesAWrongConfig(t *testing.T) {
	token := hub.StaticToken("t")
	for name, c := range map[string]hub.Config{
		"no target":          {Tokens: token},
		"half of the target": {Todos: "127.0.0.1:1", Tokens: token},
		"no tokens":          {Target: "127.0.0.1:1"},
		"two minds on TLS":   {Target: "127.0.0.1:1", Tokens: token, Plaintext: true, TLS: &tls.Config{}},
		"a broken target":    {Target: "127.0.0.1:1", Messages: "dns://%%", Tokens: token},
	} {
		if client, err := hub.Dial(c); err == nil {
			t.Errorf("%s is taken: %v", name, client.Close())
		}
	}
}
