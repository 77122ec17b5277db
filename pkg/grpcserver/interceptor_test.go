package grpcserver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestCallIsRefusedWithoutExactlyOneGoodToken(t *testing.T) {
	cases := []struct {
		name   string
		values []string
		want   codes.Code
	}{
		{"no authorization", nil, codes.Unauthenticated},
		{"empty", []string{""}, codes.Unauthenticated},
		{"scheme only", []string{"Bearer"}, codes.Unauthenticated},
		{"scheme and blank", []string{"Bearer "}, codes.Unauthenticated},
		{"other scheme", []string{"Basic good"}, codes.Unauthenticated},
		{"bare token", []string{"good"}, codes.Unauthenticated},
		{"two in one value", []string{"Bearer good, Bearer good"}, codes.Unauthenticated},
		{"two values", []string{"Bearer good", "Bearer good"}, codes.Unauthenticated},
		{"good one first", []string{"Bearer good", "Bearer bad"}, codes.Unauthenticated},
		{"good one last", []string{"Bearer bad", "Bearer good"}, codes.Unauthenticated},
		{"unknown token", []string{"Bearer bad"}, codes.Unauthenticated},
		{"scope missing", []string{"Bearer profile"}, codes.PermissionDenied},
		{"good", []string{"Bearer good"}, codes.OK},
		{"scheme in other case", []string{"bEARER  good"}, codes.OK},
	}
	var ran atomic.Int32
	svc := &todos{upsert: func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		ran.Add(1)
		return &todov1.UpsertTodoResponse{}, nil
	}}
	onEach(t, svc, func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
		for _, tc := range cases {
			t.Run(tc.name, func(t *testing.T) {
				ran.Store(0)
				ctx := withAuthorization(t.Context(), tc.values...)
				_, err := todov1.NewTodoServiceClient(c).UpsertTodo(ctx, &todov1.UpsertTodoRequest{})
				if got := status.Code(err); got != tc.want {
					t.Errorf("code is %v, want %v (%v)", got, tc.want, err)
				}
				if got, want := ran.Load() == 1, tc.want == codes.OK; got != want {
					t.Errorf("the service ran: %v, want %v", got, want)
				}
			})
		}
	})
}

func TestMethodOutsideThePolicyIsDenied(t *testing.T) {
	onEach(t, answering(nil), func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
		_, err := todov1.NewTodoServiceClient(c).InvalidateTodo(
			withAuthorization(t.Context(), "Bearer good"), &todov1.InvalidateTodoRequest{})
		if got := status.Code(err); got != codes.PermissionDenied {
			t.Errorf("code is %v, want PermissionDenied", got)
		}
	})
}

func TestServiceLearnsTheCaller(t *testing.T) {
	got := make(chan auth.Principal, 2)
	svc := &todos{upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		c, _ := auth.From(ctx)
		got <- c
		return &todov1.UpsertTodoResponse{}, nil
	}}
	onEach(t, svc, func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
		// A caller in the context of the client is not the caller of the server.
		ctx := auth.With(t.Context(), auth.Principal{Client: "somebody else"})
		if _, err := upsert(ctx, c); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(known["good"], <-got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFailureBecomesStatus(t *testing.T) {
	secret := errors.New("SELECT secret")
	cases := []struct {
		name string
		err  error
		code codes.Code
		text string
	}{
		{"invalid", fault.New(fault.Invalid, "no"), codes.InvalidArgument, "no"},
		{"not found", fault.New(fault.NotFound, "no"), codes.NotFound, "no"},
		{"conflict", fault.New(fault.Conflict, "no"), codes.FailedPrecondition, "no"},
		{"forbidden", fault.New(fault.Forbidden, "no"), codes.PermissionDenied, "no"},
		{"unauthenticated", fault.New(fault.Unauthenticated, "no"), codes.Unauthenticated, "no"},
		{"exhausted", fault.New(fault.Exhausted, "no"), codes.ResourceExhausted, "no"},
		{"unavailable", fault.Wrap(fault.Unavailable, "later", secret), codes.Unavailable, "later"},
		{"timeout", fault.New(fault.Timeout, "slow"), codes.DeadlineExceeded, "slow"},
		{"internal", fault.New(fault.Internal, "SELECT secret"), codes.Internal, "internal error"},
		{"wrapped fault", fmt.Errorf("upsert todo: %w", fault.New(fault.NotFound, "no")), codes.NotFound, "no"},
		{"unknown error", secret, codes.Internal, "internal error"},
		{"wrapped status", fmt.Errorf("call: %w", status.Error(codes.NotFound, "SELECT secret")), codes.Internal, "internal error"},
		{"status unknown", status.Error(codes.Unknown, "SELECT secret"), codes.Internal, "internal error"},
		{"status internal", status.Error(codes.Internal, "SELECT secret"), codes.Internal, "internal error"},
		{"deadline", fmt.Errorf("query: %w", context.DeadlineExceeded), codes.DeadlineExceeded, "the call took too long"},
		{"canceled", fmt.Errorf("query: %w", context.Canceled), codes.Canceled, "the call was canceled"},
		{"not UTF-8", fault.New(fault.Invalid, "bad \xff"), codes.InvalidArgument, "bad \uFFFD"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			onEach(t, answering(tc.err), func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
				_, err := upsert(t.Context(), c)
				st, ok := status.FromError(err)
				if !ok {
					t.Fatalf("%v is not a status", err)
				}
				if st.Code() != tc.code || st.Message() != tc.text {
					t.Errorf("status is %v %q, want %v %q", st.Code(), st.Message(), tc.code, tc.text)
				}
			})
		})
	}
}

func TestFieldFaultCarriesADetail(t *testing.T) {
	svc := answering(fault.Field("todo_id", "todo id must not be empty"))
	onEach(t, svc, func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
		_, err := upsert(t.Context(), c)
		want := []any{&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "todo_id", Description: "todo id must not be empty"},
		}}}
		if diff := cmp.Diff(want, status.Convert(err).Details(), protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFaultOfARecordCarriesADetail(t *testing.T) {
	todo := fault.Resource{Type: "todo", Name: "po-1"}
	for _, tc := range []struct {
		fault fault.Fault
		want  []any
	}{
		{
			fault.Fault{Kind: fault.NotFound, Public: "no such todo", Resource: todo},
			[]any{&errdetails.ResourceInfo{ResourceType: "todo", ResourceName: "po-1", Description: "no such todo"}},
		},
		{
			fault.Fault{Kind: fault.Conflict, Public: "it is done", Resource: todo},
			[]any{&errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{
				{Type: "todo", Subject: "po-1", Description: "it is done"},
			}}},
		},
		{fault.Fault{Kind: fault.NotFound, Public: "nothing here"}, nil},
		{fault.Fault{Kind: fault.Conflict, Public: "not now"}, nil},
	} {
		onEach(t, answering(&tc.fault), func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
			_, err := upsert(t.Context(), c)
			if diff := cmp.Diff(tc.want, status.Convert(err).Details(), protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", tc.fault.Public, diff)
			}
		})
	}
}

func TestErrorAfterTheEndOfTheCallIsNotInternal(t *testing.T) {
	o, l := options()
	svc := &todos{}
	s := local(o, svc)
	ctx, cancel := context.WithCancel(t.Context())
	svc.upsert = func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		cancel()
		<-ctx.Done()
		return nil, errors.New("interrupted")
	}
	if _, err := upsert(ctx, s); status.Code(err) != codes.Canceled {
		t.Errorf("error is %v, want code Canceled", err)
	}
	if strings.Contains(l.String(), `"ERROR"`) {
		t.Errorf("a caller who went away is logged as Hub's error: %s", l)
	}
}

func TestUnavailableTellsClientsNotToRetryAtOnce(t *testing.T) {
	onEach(t, answering(fault.New(fault.Unavailable, "later")), func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
		var trailer metadata.MD
		if _, err := upsert(t.Context(), c, grpc.Trailer(&trailer)); status.Code(err) != codes.Unavailable {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"-1"}, trailer.Get("grpc-retry-pushback-ms")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPanicIsAnInternalErrorWithItsStackInTheLogOnly(t *testing.T) {
	svc := &todos{upsert: func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		panic("the secret reason")
	}}
	onEach(t, svc, func(t *testing.T, c grpc.ClientConnInterface, l *logs) {
		_, err := upsert(t.Context(), c)
		st := status.Convert(err)
		if st.Code() != codes.Internal || st.Message() != "internal error" || len(st.Details()) != 0 {
			t.Errorf("status is %v, want a bare internal error", st)
		}
		for _, part := range []string{"the secret reason", "interceptor_test.go", `"level":"ERROR"`} {
			if strings.Count(l.String(), part) == 0 {
				t.Errorf("the log lacks %s: %s", part, l)
			}
		}
	})
}

func TestLogLine(t *testing.T) {
	cases := []struct {
		name string
		err  error
		want []string
	}{
		{"success", nil, []string{`"level":"DEBUG"`, `"code":"OK"`}},
		{"fault of the caller", fault.New(fault.NotFound, "no such todo"), []string{`"level":"INFO"`, `"code":"NotFound"`, "no such todo"}},
		{"defect", errors.New("disk on fire"), []string{`"level":"ERROR"`, `"code":"Internal"`, "disk on fire"}},
		{"dependency", fault.Wrap(fault.Unavailable, "later", errors.New("no route")), []string{`"level":"WARN"`, `"code":"Unavailable"`, "no route"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			onEach(t, answering(tc.err), func(t *testing.T, c grpc.ClientConnInterface, l *logs) {
				_, _ = upsert(t.Context(), c)
				got := l.String()
				if strings.Count(got, "\n") != 1 {
					t.Errorf("log is %q, want one line", got)
				}
				always := []string{`"method":"/hub.todo.v1.TodoService/UpsertTodo"`, `"client_id":"erp"`, `"duration_ms":`}
				for _, part := range slices.Concat(always, tc.want) {
					if strings.Count(got, part) != 1 {
						t.Errorf("log is %s, want %s in it once", got, part)
					}
				}
				if strings.Contains(got, "Bearer") || strings.Contains(got, `"good"`) {
					t.Errorf("the token is in the log: %s", got)
				}
			})
		})
	}
}
