package portalhub_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/grpcserver"
	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	"example.com/hub/services/portalhub"
)

// apps serves the hub in memory.
func apps(t *testing.T) appv1.AppServiceClient {
	t.Helper()
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	service, err := portalhub.New(portalhub.Deps{Config: c, Store: openStore(t), Clock: newClock().time})
	if err != nil {
		t.Fatal(err)
	}
	options := grpcserver.Options{Verifier: tokens{}}
	if options.Edges.Key, err = internalkey.New(key); err != nil {
		t.Fatal(err)
	}
	options.Admit(service)
	local := grpcserver.NewLocal(options)
	service.Register(local)
	return appv1.NewAppServiceClient(local)
}

// user is the context of a call that an edge makes for a user.
func user(t *testing.T, name string, permissions ...string) context.Context {
	t.Helper()
	said := metadata.New(onbehalf.Encode(auth.Principal{User: name, Permissions: permissions}))
	said.Set("authorization", "Bearer "+key)
	return metadata.NewOutgoingContext(t.Context(), said)
}

func admin(t *testing.T) context.Context {
	t.Helper()
	return user(t, "carla", "apps")
}

func create(t *testing.T, client appv1.AppServiceClient, in *appv1.CreateAppRequest) *appv1.App {
	t.Helper()
	got, err := client.CreateApp(admin(t), in)
	if err != nil {
		t.Fatal(err)
	}
	return got.GetApp()
}

func newApp(id string) *appv1.CreateAppRequest {
	return &appv1.CreateAppRequest{AppId: id, Name: "Name of " + id, EntryUrl: "https://app.example/in/"}
}

func wantCode(t *testing.T, what string, err error, code codes.Code, message string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || st.Message() != message {
		t.Errorf("%s: %v %q, want %v %q", what, st.Code(), st.Message(), code, message)
	}
}

func TestAnAppFromItsCreationOn(t *testing.T) {
	client := apps(t)
	first := create(t, client, newApp("crm"))
	if first.GetSso() != appv1.SignOn_SIGN_ON_NONE || !first.GetEnabled() || first.GetCreatorId() != "user:carla" || first.GetModifierId() != "user:carla" {
		t.Errorf("it is %v", first)
	}
	_, err := client.CreateApp(admin(t), newApp("crm"))
	wantCode(t, "once more", err, codes.FailedPrecondition, "there is an app with this id already")

	changed, err := client.UpdateApp(user(t, "ben", "apps"), &appv1.UpdateAppRequest{
		AppId: "crm", Name: "CRM", IconUrl: "/files/0123456789abcdef0123456789abcdef", EntryUrl: "http://localhost:1/", Sort: -3,
		VisibleFor: []string{"user:amy"}, Sso: appv1.SignOn_SIGN_ON_TICKET,
	})
	if err != nil || changed.GetApp().GetName() != "CRM" || !changed.GetApp().GetEnabled() || changed.GetApp().GetModifierId() != "user:ben" || changed.GetApp().GetCreatorId() != "user:carla" {
		t.Errorf("it is %v, %v", changed, err)
	}
	off, err := client.DisableApp(admin(t), &appv1.DisableAppRequest{AppId: "crm"})
	if err != nil || off.GetApp().GetEnabled() {
		t.Errorf("it is %v, %v", off, err)
	}
	on, err := client.EnableApp(admin(t), &appv1.EnableAppRequest{AppId: "crm"})
	if err != nil || !on.GetApp().GetEnabled() {
		t.Errorf("it is %v, %v", on, err)
	}
	all, err := client.ListApps(admin(t), &appv1.ListAppsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*appv1.App{on.GetApp()}, all.GetApps(), protocmp.Transform()); diff != "" {
		t.Errorf("apps (-want +got):\n%s", diff)
	}
}

func TestUnknownAppsAreMissed(t *testing.T) {
	client := apps(t)
	update := &appv1.UpdateAppRequest{AppId: "crm", Name: "CRM", EntryUrl: "https://app.example/"}
	_, updated := client.UpdateApp(admin(t), update)
	_, enabled := client.EnableApp(admin(t), &appv1.EnableAppRequest{AppId: "crm"})
	_, disabled := client.DisableApp(admin(t), &appv1.DisableAppRequest{AppId: "crm"})
	_, jumped := client.ResolveJump(user(t, "amy"), &appv1.ResolveJumpRequest{AppId: "crm"})
	for what, err := range map[string]error{"update": updated, "enable": enabled, "disable": disabled, "jump": jumped} {
		wantCode(t, what, err, codes.NotFound, "there is no such app")
	}
	update.AppId = ""
	_, err := client.UpdateApp(admin(t), update)
	wantCode(t, "no id", err, codes.InvalidArgument, "app id must not be empty")
}

func TestWhatIsWrongWithAnAppIsNamed(t *testing.T) {
	client := apps(t)
	for want, spoil := range map[string]func(*appv1.CreateAppRequest){
		"app id must not be empty":                                        func(r *appv1.CreateAppRequest) { r.AppId = " " },
		`app id must not be ".."`:                                         func(r *appv1.CreateAppRequest) { r.AppId = ".." },
		"name must not be empty":                                          func(r *appv1.CreateAppRequest) { r.Name = "" },
		"name must be at most 128 characters":                             func(r *appv1.CreateAppRequest) { r.Name = strings.Repeat("x", 129) },
		"icon url must be empty or /files/ with the id of a file":         func(r *appv1.CreateAppRequest) { r.IconUrl = "https://evil.example/x.png" },
		"icon url must be empty or /files/ with the id of a file ":        func(r *appv1.CreateAppRequest) { r.IconUrl = "/files/../x" },
		"entry url must not be empty":                                     func(r *appv1.CreateAppRequest) { r.EntryUrl = "" },
		"entry url must begin with https://, or on loopback with http://": func(r *appv1.CreateAppRequest) { r.EntryUrl = "javascript:alert(1)//" },
		"sort must be from -1000000 to 1000000":                           func(r *appv1.CreateAppRequest) { r.Sort = 1_000_001 },
		"visible for[0] must be user:ID, dept:ID or role:ID":              func(r *appv1.CreateAppRequest) { r.VisibleFor = []string{"amy"} },
		"visible for must have at most 100 entries":                       func(r *appv1.CreateAppRequest) { r.VisibleFor = make([]string, 101) },
		"sso must be none or ticket":                                      func(r *appv1.CreateAppRequest) { r.Sso = 7 },
		"sso must be none or ticket ":                                     func(r *appv1.CreateAppRequest) { r.Sso = -1 },
	} {
		in := newApp("crm")
		spoil(in)
		_, err := client.CreateApp(admin(t), in)
		wantCode(t, "create", err, codes.InvalidArgument, strings.TrimSuffix(want, " "))
	}
	if all, err := client.ListApps(admin(t), &appv1.ListAppsRequest{}); err != nil || len(all.GetApps()) != 0 {
		t.Errorf("there is %v, %v", all, err)
	}
}

func TestThereAreAtMost500Apps(t *testing.T) {
	client := apps(t)
	for i := range 500 {
		create(t, client, newApp(fmt.Sprint("app-", i)))
	}
	_, err := client.CreateApp(admin(t), newApp("one-more"))
	wantCode(t, "one more", err, codes.FailedPrecondition, "there are 500 apps already, which is the most")
	_, err = client.CreateApp(admin(t), newApp("app-7"))
	wantCode(t, "one of them", err, codes.FailedPrecondition, "there is an app with this id already")
}

func TestUsersSeeWhatIsEnabledAndVisibleToThem(t *testing.T) {
	client := apps(t)
	off := false
	for i, in := range []*appv1.CreateAppRequest{
		{AppId: "for-all", Sort: 2},
		{AppId: "for-amy", VisibleFor: []string{"user:amy", "role:none"}},
		{AppId: "for-ben", VisibleFor: []string{"user:ben"}},
		{AppId: "for-roles", VisibleFor: []string{"role:amy", "dept:amy"}},
		{AppId: "off", Enabled: &off},
		{AppId: "second", Sort: 2, Name: "aaa"},
	} {
		in.EntryUrl = fmt.Sprintf("https://app-%d.example/", i)
		if in.Name == "" {
			in.Name = "b" + in.AppId
		}
		create(t, client, in)
	}
	for name, want := range map[string][]string{"amy": {"for-amy", "second", "for-all"}, "ben": {"for-ben", "second", "for-all"}, "role:amy": {"second", "for-all"}} {
		visible, err := client.ListVisibleApps(user(t, name), &appv1.ListVisibleAppsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range visible.GetApps() {
			got = append(got, a.GetAppId())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s sees (-want +got):\n%s", name, diff)
		}
		for _, id := range []string{"for-all", "for-amy", "for-ben", "for-roles", "off", "second"} {
			_, err := client.ResolveJump(user(t, name), &appv1.ResolveJumpRequest{AppId: id})
			if slices.Contains(want, id) != (err == nil) || err != nil && status.Code(err) != codes.NotFound {
				t.Errorf("%s jumps to %s: %v", name, id, err)
			}
		}
	}
}

func TestJumpsStayInTheApp(t *testing.T) {
	client := apps(t)
	create(t, client, newApp("plain"))
	ticket := newApp("ticket")
	ticket.Sso = appv1.SignOn_SIGN_ON_TICKET
	create(t, client, ticket)
	jump := func(id, to string) (*appv1.ResolveJumpResponse, error) {
		return client.ResolveJump(user(t, "amy"), &appv1.ResolveJumpRequest{AppId: id, To: to})
	}
	for to, want := range map[string]string{"": "https://app.example/in/", "/in/a?b=c": "https://app.example/in/a?b=c", "/in/?tickets=1": "https://app.example/in/?tickets=1"} {
		for id, sso := range map[string]appv1.SignOn{"plain": appv1.SignOn_SIGN_ON_NONE, "ticket": appv1.SignOn_SIGN_ON_TICKET} {
			if got, err := jump(id, to); err != nil || got.GetUrl() != want || got.GetSso() != sso {
				t.Errorf("%s to %q leads to %v, %v", id, to, got, err)
			}
		}
	}
	for to, want := range map[string]string{
		"//evil.example/":                  "to must be empty or a path below /in/",
		"/other/":                          "to must be empty or a path below /in/",
		"/in/%2e%2e/other":                 "to must have a path without empty, . and .. segments, backslashes and control characters, also when it is decoded",
		"/in/#x":                           "to must be in the form of URLs: other characters are percent-encoded",
		"/in/?a=\\":                        "to must have a query in the form of URLs",
		"/in/" + strings.Repeat("x", 2048): "to must be at most 2048 bytes",
	} {
		_, err := jump("plain", to)
		wantCode(t, to, err, codes.InvalidArgument, want)
	}
	if _, err := jump("plain", "/in/?ticket=x"); err != nil {
		t.Errorf("an app without tickets has a parameter of that name: %v", err)
	}
	for _, query := range []string{"ticket=x", "a=b&TICKET=x", "a=b;ticket", "%2574icket=x", "ticket%5b%5d=x", "+ticket=x", "a=b%26ticket%3dx"} {
		_, err := jump("ticket", "/in/?"+query)
		wantCode(t, query, err, codes.InvalidArgument, "to must not have a parameter ticket, which is the one that Hub adds")
	}
}

func TestWhoMayCallOfApps(t *testing.T) {
	client := apps(t)
	create(t, client, newApp("crm"))
	calls := map[string]func(context.Context) error{
		"visible": func(ctx context.Context) error {
			_, err := client.ListVisibleApps(ctx, &appv1.ListVisibleAppsRequest{})
			return err
		},
		"jump": func(ctx context.Context) error {
			_, err := client.ResolveJump(ctx, &appv1.ResolveJumpRequest{AppId: "crm"})
			return err
		},
		"list": func(ctx context.Context) error {
			_, err := client.ListApps(ctx, &appv1.ListAppsRequest{})
			return err
		},
		"create": func(ctx context.Context) error {
			_, err := client.CreateApp(ctx, newApp("x"))
			return err
		},
		"update": func(ctx context.Context) error {
			_, err := client.UpdateApp(ctx, &appv1.UpdateAppRequest{AppId: "crm", Name: "x", EntryUrl: "https://x.example/"})
			return err
		},
		"enable": func(ctx context.Context) error {
			_, err := client.EnableApp(ctx, &appv1.EnableAppRequest{AppId: "crm"})
			return err
		},
		"disable": func(ctx context.Context) error {
			_, err := client.DisableApp(ctx, &appv1.DisableAppRequest{AppId: "crm"})
			return err
		},
	}
	for who, ctx := range map[string]context.Context{
		"nobody": t.Context(), "a client": as(t, "erp/client"), "a client of the directory": as(t, "hr/directory"), "an edge": as(t, key),
		"a user": user(t, "amy"), "a user with other permissions": user(t, "amy", "todos", "messages", "content", "directory", "app", "Apps"), "an admin": admin(t),
	} {
		for _, what := range slices.Sorted(maps.Keys(calls)) {
			forUsers := what == "visible" || what == "jump"
			want := codes.PermissionDenied
			switch {
			case who == "nobody":
				want = codes.Unauthenticated
			case who == "an admin", strings.HasPrefix(who, "a user") && forUsers:
				want = codes.OK
			}
			if got := status.Code(calls[what](ctx)); got != want {
				t.Errorf("%s, %s: %v, want %v", who, what, got, want)
			}
		}
	}
}
