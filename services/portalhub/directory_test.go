package portalhub_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/grpcserver"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub"
)

// directory is the hub in memory, with the clock and the log of a test.
type directory struct {
	peoplev1.DirectoryServiceClient
	people  peoplev1.PeopleServiceClient
	content contentv1.ContentServiceClient
	*clock
	log *strings.Builder
	t   *testing.T
}

func newDirectory(t *testing.T, environ ...string) *directory {
	t.Helper()
	cfg, err := load(t, environ...)
	if err != nil {
		t.Fatal(err)
	}
	d := &directory{clock: newClock(), log: &strings.Builder{}, t: t}
	service, err := portalhub.New(portalhub.Deps{
		Config: cfg, Store: openStore(t), Clock: d.time, Logger: slog.New(slog.NewJSONHandler(d.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	options := grpcserver.Options{Verifier: tokens{}, Logger: slog.New(slog.DiscardHandler)}
	if options.Edges.Key, err = internalkey.New(key); err != nil {
		t.Fatal(err)
	}
	options.Admit(service)
	local := grpcserver.NewLocal(options)
	service.Register(local)
	d.DirectoryServiceClient, d.people = peoplev1.NewDirectoryServiceClient(local), peoplev1.NewPeopleServiceClient(local)
	d.content = contentv1.NewContentServiceClient(local)
	return d
}

func (d *directory) feed() context.Context { return as(d.t, "hr/directory") }

func (d *directory) edge() context.Context { return as(d.t, key) }

// tell feeds users, each ID/USERNAME.
func (d *directory) tell(users ...string) *peoplev1.UpsertUsersResponse {
	d.t.Helper()
	in := &peoplev1.UpsertUsersRequest{}
	for _, u := range users {
		id, name, _ := strings.Cut(u, "/")
		in.Users = append(in.Users, &peoplev1.FeedUser{UserId: id, Username: name, Name: "N " + name})
	}
	out, err := d.UpsertUsers(d.feed(), in)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func wantFault(t *testing.T, err error, code codes.Code, text string) {
	t.Helper()
	if status.Code(err) != code || status.Convert(err).Message() != text {
		t.Errorf("error %v, want %s %q", err, code, text)
	}
}

func TestAFeedIsToldWhatBecameOfEachUser(t *testing.T) {
	d := newDirectory(t)
	got := d.tell("1/amy", "2/ben", "1/carla", "./x", "3/amy", "2/ben", "4/dan")
	linked := "the user id and the username do not belong together: one of them is linked to another one"
	want := &peoplev1.UpsertUsersResponse{Stored: 4, Failed: 3, Results: []*peoplev1.UpsertUserResult{
		{UserId: "1"},
		{UserId: "2"},
		{UserId: "1", Error: linked},
		{UserId: ".", Error: `user id must not be "."`},
		{UserId: "3", Error: linked},
		{UserId: "2"},
		{UserId: "4"},
	}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if log := d.log.String(); !strings.Contains(log, `"audit":true,"client":"hr","user_ids":["1","2","2","4"],"refused":3,"complete":true`) {
		t.Errorf("log: %s", log)
	}
}

// TestABatchEqualsItsUsersOneByOne has users that share ids and names with others before and behind them.
func TestABatchEqualsItsUsersOneByOne(t *testing.T) {
	all := []string{"1/a", "1/b", "2/b", "2/a", "3/a", "3/c", "2/b", "4/c", "4/d", "1/a"}
	together := newDirectory(t).tell(all...)
	single := newDirectory(t)
	one := &peoplev1.UpsertUsersResponse{}
	for _, u := range all {
		out := single.tell(u)
		one.Results = append(one.Results, out.Results...)
		one.Stored, one.Failed = one.Stored+out.Stored, one.Failed+out.Failed
	}
	if diff := cmp.Diff(one, together, protocmp.Transform()); diff != "" {
		t.Errorf("one by one (-), together (+):\n%s", diff)
	}
}

func TestUsersAreReconciled(t *testing.T) {
	d := newDirectory(t)
	d.tell("1/amy", "2/ben", "3/carla")
	d.pass(2e9)
	reconcile := func(open ...string) (*peoplev1.ReconcileUsersResponse, error) {
		return d.ReconcileUsers(d.feed(), &peoplev1.ReconcileUsersRequest{AsOf: timestamppb.New(d.time()), Open: open})
	}
	got, err := reconcile("1", "9")
	if err != nil {
		t.Fatal(err)
	}
	want := &peoplev1.ReconcileUsersResponse{Closed: 2, ClosedIds: []string{"2", "3"}, Missing: 1}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	_, err = d.ReconcileUsers(d.feed(), &peoplev1.ReconcileUsersRequest{})
	wantFault(t, err, codes.InvalidArgument, "as of must not be empty")
	_, err = reconcile("2", "1")
	wantFault(t, err, codes.InvalidArgument, "open[1] must be behind from and behind the id before it")
	one := int64(1)
	d.tell("2/ben", "3/carla")
	d.pass(2e9)
	_, err = d.ReconcileUsers(d.feed(), &peoplev1.ReconcileUsersRequest{AsOf: timestamppb.New(d.time()), MaxClose: &one})
	wantFault(t, err, codes.FailedPrecondition, "more than 1 people would be made inactive")
}

func TestALoginIsJudgedByTheDirectory(t *testing.T) {
	for environ, unknown := range map[string]peoplev1.LogInOutcome{
		"HUB_DIRECTORY_JIT=true":  peoplev1.LogInOutcome_LOG_IN_OUTCOME_ADMITTED,
		"HUB_DIRECTORY_JIT=false": peoplev1.LogInOutcome_LOG_IN_OUTCOME_UNKNOWN,
	} {
		d := newDirectory(t, environ)
		off := false
		if _, err := d.UpsertUsers(d.feed(), &peoplev1.UpsertUsersRequest{Users: []*peoplev1.FeedUser{
			{UserId: "1", Username: "amy"}, {UserId: "2", Username: "ben", Active: &off},
		}}); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			name, subject string
			want          peoplev1.LogInOutcome
		}{
			{"amy", "s1", peoplev1.LogInOutcome_LOG_IN_OUTCOME_ADMITTED},
			{"amy", "s2", peoplev1.LogInOutcome_LOG_IN_OUTCOME_OTHER_SUBJECT},
			{"ben", "s3", peoplev1.LogInOutcome_LOG_IN_OUTCOME_INACTIVE},
			{"carla", "s4", unknown},
		} {
			got, err := d.people.LogIn(d.edge(), &peoplev1.LogInRequest{
				Username: step.name, Issuer: "iss", Subject: step.subject, Name: strings.Repeat("ä", 300), Email: "none",
			})
			if err != nil || got.GetOutcome() != step.want {
				t.Errorf("%s: %s as %s: %v, %v", environ, step.name, step.subject, got, err)
			}
		}
	}
}

func TestPeopleAreSelectedAndResolved(t *testing.T) {
	d := newDirectory(t)
	many := make([]string, 0, 500)
	for n := range 5_001 {
		many = append(many, string(rune('a'+n%26))+strings.Repeat("x", n/26)) // unique
		if len(many) == 500 || n == 5_000 {
			in := &peoplev1.UpsertUsersRequest{}
			for _, id := range many {
				in.Users = append(in.Users, &peoplev1.FeedUser{UserId: id, Username: name(id), DeptId: "all"})
			}
			if out, err := d.UpsertUsers(d.feed(), in); err != nil || out.Failed > 0 {
				t.Fatal(out.GetFailed(), err)
			}
			many = many[:0]
		}
	}
	all, some := "all", "some"
	_, err := d.people.SelectUsers(d.edge(), &peoplev1.SelectUsersRequest{DeptId: &all})
	wantFault(t, err, codes.InvalidArgument, "more than 5000 people match: narrow the filter")
	_, err = d.people.SelectUsers(d.edge(), &peoplev1.SelectUsersRequest{})
	wantFault(t, err, codes.InvalidArgument, "dept id or role id must be given")
	if _, err := d.UpsertRole(d.feed(), &peoplev1.UpsertRoleRequest{RoleId: some, Name: "n", UserIds: []string{"b", "a", "?"}}); err != nil {
		t.Fatal(err)
	}
	got, err := d.people.SelectUsers(d.edge(), &peoplev1.SelectUsersRequest{DeptId: &all, RoleId: &some})
	if diff := cmp.Diff(slices.Sorted(slices.Values([]string{name("a"), name("b")})), got.GetUsernames()); err != nil || diff != "" {
		t.Errorf("selected %v (-want +got):\n%s", err, diff)
	}
	named, err := d.people.ResolveUsers(d.edge(), &peoplev1.ResolveUsersRequest{UserIds: []string{"b", "?", "a\x00", "", "a"}})
	if diff := cmp.Diff([]string{name("b"), "", "", "", name("a")}, named.GetUsernames()); err != nil || diff != "" {
		t.Errorf("resolved %v (-want +got):\n%s", err, diff)
	}
}

// name is a username of an id, which may be longer than a username.
func name(id string) string { return hash(id) }

// TestWhoMayCallTheDirectory has every method and every kind of caller.
func TestWhoMayCallTheDirectory(t *testing.T) {
	d := newDirectory(t)
	user := func(permissions ...string) context.Context {
		md := metadata.New(onbehalf.Encode(auth.Principal{User: "amy", Permissions: permissions}))
		return metadata.AppendToOutgoingContext(metadata.NewOutgoingContext(t.Context(), md), "authorization", "Bearer "+key)
	}
	callers := map[string]context.Context{
		"nobody": t.Context(), "client": as(t, "erp/client"), "directory": d.feed(), "other": as(t, "erp/profile"),
		"edge": d.edge(), "user": user(), "user with directory": user("directory"),
		"user with the others": user("todos", "messages", "content", "apps"),
	}
	methods := map[string]struct {
		call    func(ctx context.Context) error
		allowed []string
	}{
		"UpsertUsers":      {func(ctx context.Context) error { _, err := d.UpsertUsers(ctx, nil); return err }, []string{"directory"}},
		"UpsertDepartment": {func(ctx context.Context) error { _, err := d.UpsertDepartment(ctx, nil); return err }, []string{"directory"}},
		"UpsertRole":       {func(ctx context.Context) error { _, err := d.UpsertRole(ctx, nil); return err }, []string{"directory"}},
		"ReconcileUsers":   {func(ctx context.Context) error { _, err := d.ReconcileUsers(ctx, nil); return err }, []string{"directory"}},
		"ListUsers":        {func(ctx context.Context) error { _, err := d.ListUsers(ctx, nil); return err }, []string{"directory", "user with directory"}},
		"LogIn":            {func(ctx context.Context) error { _, err := d.people.LogIn(ctx, nil); return err }, []string{"edge"}},
		"GetPerson":        {func(ctx context.Context) error { _, err := d.people.GetPerson(ctx, nil); return err }, []string{"edge"}},
		"ResolveUsers":     {func(ctx context.Context) error { _, err := d.people.ResolveUsers(ctx, nil); return err }, []string{"edge"}},
		"SelectUsers":      {func(ctx context.Context) error { _, err := d.people.SelectUsers(ctx, nil); return err }, []string{"edge"}},
	}
	for method, m := range methods {
		for caller, ctx := range callers {
			code := status.Code(m.call(ctx))
			allowed := false
			for _, name := range m.allowed {
				allowed = allowed || name == caller
			}
			switch {
			case allowed && (code == codes.PermissionDenied || code == codes.Unauthenticated):
				t.Errorf("%s by %s: %s", method, caller, code)
			case !allowed && caller == "nobody" && code != codes.Unauthenticated:
				t.Errorf("%s by %s: %s", method, caller, code)
			case !allowed && caller != "nobody" && code != codes.PermissionDenied:
				t.Errorf("%s by %s: %s", method, caller, code)
			}
		}
	}
}
