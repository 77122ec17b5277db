package hub_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	hub "example.com/hub/clients/go"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// users are n names of a length in bytes.
func users(n, length int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%0*d", length, i)
	}
	return all
}

func TestPushOfManyIsSplit(t *testing.T) {
	for name, r := range map[string]*messagev1.PushMessageRequest{
		"usernames": {SourceMessageId: "m", Title: "Maintenance", TargetUsernames: users(25_000, 8)},
		"ids":       {SourceMessageId: "m", Title: "Maintenance", TargetUserIds: users(25_000, 8)},
	} {
		f := &fake{}
		before := proto.CloneOf(r)
		done, err := faked(t, f).Push(t.Context(), r)
		if want := (hub.Pushed{Created: 25_000, Targets: 25_000}); err != nil || done != want {
			t.Errorf("%s: %+v, %v; want %+v", name, done, err, want)
		}
		var got []string
		for _, p := range f.pushes {
			if n := len(p.GetTargetUsernames()) + len(p.GetTargetUserIds()); n > 10_000 {
				t.Errorf("%s: a call has %d targets", name, n)
			}
			got = append(append(got, p.GetTargetUsernames()...), p.GetTargetUserIds()...)
			if p.GetTitle() != "Maintenance" || p.OccurredAt == nil || !proto.Equal(p.OccurredAt, f.pushes[0].OccurredAt) {
				t.Errorf("%s: a call has %q at %v", name, p.GetTitle(), p.GetOccurredAt())
			}
		}
		if !slices.Equal(got, users(25_000, 8)) || len(f.pushes) != 3 {
			t.Errorf("%s: %d calls had %d targets", name, len(f.pushes), len(got))
		}
		if !proto.Equal(r, before) {
			t.Errorf("%s: the request was changed", name)
		}
	}
}

func TestPushFitsIntoMessages(t *testing.T) {
	f := &fake{}
	client := dial(t, hub.Config{Target: serve(t, f), Plaintext: true, MaxTargets: 100_000})
	if _, err := client.Push(t.Context(), &messagev1.PushMessageRequest{TargetUsernames: users(40_000, 128)}); err != nil {
		t.Fatal(err)
	}
	if len(f.pushes) != 2 { // 131 bytes each are 5.2 MB
		t.Fatalf("%d calls", len(f.pushes))
	}
	if at := f.pushes[0].OccurredAt; at == nil || !proto.Equal(at, f.pushes[1].OccurredAt) {
		t.Errorf("they are of %v and %v", at, f.pushes[1].OccurredAt)
	}
}

func TestPushOfOneCallIsLeftAsItIs(t *testing.T) {
	f := &fake{}
	r := &messagev1.PushMessageRequest{SourceMessageId: "m", TargetUsernames: []string{"alice"}}
	if _, err := faked(t, f).Push(t.Context(), r); err != nil || !proto.Equal(f.pushes[0], r) {
		t.Errorf("%v, %v", f.pushes, err)
	}
	f.fail = failing(99, codes.InvalidArgument)
	if _, err := faked(t, f).Push(t.Context(), &messagev1.PushMessageRequest{}); codeOf(err) != codes.InvalidArgument {
		t.Errorf("without targets: %v", err)
	}
}

func TestPushThatFailsOnTheWayGoesOn(t *testing.T) {
	f := &fake{fail: func(call int) error {
		if call != 2 {
			return nil
		}
		st, err := status.New(codes.InvalidArgument, "target usernames[7] must not be empty").WithDetails(&errdetails.BadRequest{
			FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "target_usernames[7]"}},
		})
		if err != nil {
			return err
		}
		return st.Err()
	}}
	client := faked(t, f)
	r := &messagev1.PushMessageRequest{SourceMessageId: "m", TargetUsernames: users(25_000, 8), OccurredAt: timestamppb.Now()}
	done, err := client.Push(t.Context(), r)
	var e *hub.Error
	if !errors.As(err, &e) || e.Field != "target_usernames[10007]" || e.Message != "target usernames[10007] must not be empty" {
		t.Errorf("the error is %+v", e)
	}
	if done.Targets != 10_000 || done.Created != 10_000 {
		t.Errorf("%+v", done)
	}
	r.TargetUsernames = r.TargetUsernames[done.Targets:]
	if done, err = client.Push(t.Context(), r); err != nil || done.Targets != 15_000 {
		t.Errorf("the rest: %+v, %v", done, err)
	}
}

func todos(n, payload int) []*todov1.UpsertTodoRequest {
	all := make([]*todov1.UpsertTodoRequest, n)
	for i := range all {
		all[i] = &todov1.UpsertTodoRequest{TodoId: fmt.Sprintf("po-%05d", i), Payload: strings.Repeat("x", payload)}
	}
	return all
}

func ids(results []*todov1.BatchUpsertResult) []string {
	var all []string
	for _, r := range results {
		all = append(all, r.GetTodoId())
	}
	return all
}

func TestUpsertOfManyIsSplit(t *testing.T) {
	for payload, batches := range map[int][]int{0: {500, 500, 200}, 16 << 10: {255, 255, 255, 255, 180}} {
		f := &fake{}
		items := todos(1200, payload)
		results, err := faked(t, f).UpsertTodos(t.Context(), items)
		var sizes []int
		for _, b := range f.batches {
			sizes = append(sizes, len(b.GetItems()))
			if size := proto.Size(b); size > 4<<20 {
				t.Errorf("a batch has %d bytes", size)
			}
		}
		if !slices.Equal(sizes, batches) {
			t.Errorf("the batches have %d items, want %d", sizes, batches)
		}
		for i, r := range results {
			if r.GetTodoId() != items[i].GetTodoId() {
				t.Fatalf("result %d is of %s", i, r.GetTodoId())
			}
		}
		if err != nil || len(results) != len(items) {
			t.Errorf("%d results, %v", len(results), err)
		}
	}
}

func TestTodoThatIsTooLargeFailsAlone(t *testing.T) {
	f := &fake{}
	items := todos(3, 0)
	items[1].Payload = strings.Repeat("x", 5<<20)
	f.fail = func(call int) error {
		if call == 2 { // Hub's answer to what is larger than its messages
			return status.Error(codes.InvalidArgument, "the request is too large")
		}
		return nil
	}
	client := dial(t, hub.Config{Target: serve(t, f), Plaintext: true})
	results, err := client.UpsertTodos(t.Context(), items)
	if err != nil || !slices.Equal(ids(results), []string{"po-00000", "po-00001", "po-00002"}) {
		t.Fatalf("%v, %v", results, err)
	}
	if results[0].GetError() != "" || results[1].GetError() == "" || results[2].GetError() != "" {
		t.Errorf("%v", results)
	}
}

func TestUpsertThatFailsOnTheWayGoesOn(t *testing.T) {
	f := &fake{fail: func(call int) error {
		if call == 2 {
			return status.Error(codes.PermissionDenied, "the token lacks the scope client")
		}
		return nil
	}}
	client := faked(t, f)
	items := todos(1200, 0)
	results, err := client.UpsertTodos(t.Context(), items)
	if codeOf(err) != codes.PermissionDenied || len(results) != 500 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	rest, err := client.UpsertTodos(t.Context(), items[len(results):])
	if err != nil || len(rest) != 700 || rest[0].GetTodoId() != items[500].GetTodoId() {
		t.Errorf("%d results, %v", len(rest), err)
	}
}

func reconcile(n int) *todov1.ReconcileTodosRequest {
	r := &todov1.ReconcileTodosRequest{
		AsOf: timestamppb.Now(), From: "po-", To: proto.String("pp"), Action: todov1.ReconcileAction_RECONCILE_ACTION_CLEAR,
		Result: proto.String("gone"),
	}
	for i := range n {
		r.Open = append(r.Open, &todov1.OpenTodo{TodoId: fmt.Sprintf("po-%05d", (i+n/2)%n)})
	}
	return r
}

func TestReconcileOfManyIsSplitIntoRanges(t *testing.T) {
	f := &fake{}
	r := reconcile(40_001)
	done, err := faked(t, f).ReconcileTodos(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := &todov1.ReconcileTodosResponse{Closed: 4, Missing: 3, ClosedIds: []string{"behind po-", "behind po-39999"}}
	if !proto.Equal(done, want) {
		t.Errorf("got %v, want %v", done, want)
	}
	var ranges []string
	for _, p := range f.parts {
		ranges = append(ranges, fmt.Sprintf("%s %s %d %t %d", p.GetFrom(), p.GetTo(), len(p.GetOpen()), p.GetDryRun(), p.GetMaxClose()))
		if p.GetResult() != "gone" || p.GetAction() != r.GetAction() || !proto.Equal(p.AsOf, r.AsOf) {
			t.Errorf("a part is %s %v at %v", p.GetResult(), p.GetAction(), p.GetAsOf())
		}
		if !slices.IsSortedFunc(p.GetOpen(), func(a, b *todov1.OpenTodo) int { return strings.Compare(a.GetTodoId(), b.GetTodoId()) }) {
			t.Error("a part is not in order")
		}
	}
	if want := []string{
		"po- po-19999 20000 true 10000", "po-19999 po-39999 20000 true 10000", "po-39999 pp 1 true 10000",
		"po- po-19999 20000 false 2", "po-39999 pp 1 false 2",
	}; !slices.Equal(ranges, want) {
		t.Errorf("the parts are\n%q, want\n%q", ranges, want)
	}
}

func TestReconcileInPartsThatWouldCloseTooMuchClosesNothing(t *testing.T) {
	f := &fake{}
	r := reconcile(20_001)
	r.MaxClose = proto.Int64(1)
	if done, err := faked(t, f).ReconcileTodos(t.Context(), r); codeOf(err) != codes.FailedPrecondition || done != nil {
		t.Errorf("%v, %v", done, err)
	}
	if slices.ContainsFunc(f.parts, func(p *todov1.ReconcileTodosRequest) bool { return !p.GetDryRun() }) {
		t.Error("a part was closed")
	}
}

func TestReconcileInPartsRunsDry(t *testing.T) {
	f := &fake{}
	r := reconcile(20_001)
	r.DryRun = true
	if done, err := faked(t, f).ReconcileTodos(t.Context(), r); err != nil || done.GetClosed() != 2 || len(f.parts) != 2 {
		t.Errorf("%v, %v in %d calls", done, err, len(f.parts))
	}
}

func TestReconcileOfOnePartIsTheCall(t *testing.T) {
	f := &fake{}
	r := reconcile(2)
	r.Open = append(r.Open, r.Open[0])
	if _, err := faked(t, f).ReconcileTodos(t.Context(), r); err != nil || len(f.parts) != 1 {
		t.Fatalf("%v in %d calls", err, len(f.parts))
	}
	r.Open = []*todov1.OpenTodo{{TodoId: "po-00000"}, {TodoId: "po-00001"}}
	if !proto.Equal(f.parts[0], r) {
		t.Errorf("got %v, want %v", f.parts[0], r)
	}
}
