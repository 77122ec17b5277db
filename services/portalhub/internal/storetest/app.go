package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/app"
)

var appCases = []testCase{
	{"App/create keeps every value byte by byte", testAppValues},
	{"App/create leaves the one that is there", testAppCreatedTwice},
	{"App/create stops at the most", testAppMost},
	{"App/create stops at the most, however many come at once", testAppsAtOnce},
	{"App/one of many creates counts", testAppCreateRace},
	{"App/update replaces what is said", testAppUpdate},
	{"App/update leaves enabled as it is unless told", testAppUpdateEnabled},
	{"App/update, enable and get miss what is not there", testAppUnknown},
	{"App/enable changes only what is otherwise", testAppEnable},
	{"App/times do not go back", testAppTimes},
	{"App/list orders by sort, name and id byte by byte", testAppList},
	{"App/list leaves out what is disabled", testAppListEnabled},
}

const maxApps = 100

func newApp(id string, millis int) app.CreateParams {
	return app.CreateParams{
		Stamp: app.Stamp{By: "user:carla", Now: at(millis)}, ID: id, Enabled: true, Most: maxApps,
		Settings: app.Settings{Name: "Name of " + id, EntryURL: "https://app.example/", SignOn: app.NoSignOn},
	}
}

// createApp wants the app to be created, and gives it.
func createApp(t *testing.T, s portalhub.Store, p app.CreateParams) app.App {
	t.Helper()
	created, err := s.CreateApp(t.Context(), p)
	if err != nil || !created {
		t.Fatalf("%s: created %v, %v", p.ID, created, err)
	}
	return app.App{
		ID: p.ID, Settings: p.Settings, Enabled: p.Enabled,
		CreateTime: p.Now, ModifyTime: p.Now, CreatorID: p.By, ModifierID: p.By,
	}
}

func wantApp(t *testing.T, s portalhub.Store, want app.App) {
	t.Helper()
	got, err := s.GetApp(t.Context(), app.GetParams{ID: want.ID})
	sameApp(t, want, got, err)
}

func sameApp(t *testing.T, want, got app.App, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("app (-want +got):\n%s", diff)
	}
}

func wantApps(t *testing.T, s portalhub.Store, p app.ListParams, want ...string) {
	t.Helper()
	apps, err := s.ListApps(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range apps {
		got = append(got, a.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("apps (-want +got):\n%s", diff)
	}
}

func testAppValues(t *testing.T, s portalhub.Store) {
	for i, visible := range [][]string{nil, {"user:ä €\U0001f600"}, {`role:a,"b"`, `role:{c}`, `role:\`, "dept:NULL", "dept: "}} {
		p := newApp(fmt.Sprint("é ", i), i)
		p.Settings = app.Settings{
			Name: "Ann's \U0001f600 \\ \"app\" ", IconURL: "/files/0123456789abcdef0123456789abcdef", EntryURL: "https://app.example:8443/ä/",
			Sort: -int64(i) * 1_000_000, VisibleFor: visible, SignOn: app.Ticket,
		}
		p.Enabled = i == 1
		wantApp(t, s, createApp(t, s, p))
	}
	apps, err := s.ListApps(t.Context(), app.ListParams{})
	if err != nil || len(apps) != 3 || len(apps[0].VisibleFor) != 5 || len(apps[2].VisibleFor) != 0 {
		t.Errorf("%+v, %v", apps, err)
	}
}

func testAppCreatedTwice(t *testing.T, s portalhub.Store) {
	first := createApp(t, s, newApp("a", 0))
	again := newApp("a", 5)
	again.Name = "another"
	if created, err := s.CreateApp(t.Context(), again); created || err != nil {
		t.Errorf("created %v, %v", created, err)
	}
	wantApp(t, s, first)
	createApp(t, s, newApp("A", 6))
	createApp(t, s, newApp("a ", 7))
}

func testAppsAtOnce(t *testing.T, s portalhub.Store) {
	wantMost(t, func(i, most int) (bool, error) {
		p := newApp(fmt.Sprint(i), i)
		p.Most = most
		return s.CreateApp(t.Context(), p)
	})
}

func testAppMost(t *testing.T, s portalhub.Store) {
	for i := range 3 {
		p := newApp(fmt.Sprint(i), i)
		p.Most = 3
		createApp(t, s, p)
	}
	p := newApp("3", 3)
	p.Most = 3
	if created, err := s.CreateApp(t.Context(), p); created || err != nil {
		t.Errorf("created %v, %v", created, err)
	}
	wantApps(t, s, app.ListParams{}, "0", "1", "2")
}

func testAppCreateRace(t *testing.T, s portalhub.Store) {
	var g errgroup.Group
	won := make([]bool, 8)
	for i := range won {
		g.Go(func() (err error) {
			p := newApp("a", i)
			p.By = fmt.Sprint("user:", i)
			won[i], err = s.CreateApp(t.Context(), p)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := s.GetApp(t.Context(), app.GetParams{ID: "a"})
	if winner := slices.Index(won, true); err != nil || winner < 0 || slices.Contains(won[winner+1:], true) || got.CreatorID != fmt.Sprint("user:", winner) {
		t.Errorf("won %v, and it is %+v, %v", won, got, err)
	}
}

func testAppUpdate(t *testing.T, s portalhub.Store) {
	want, other := createApp(t, s, newApp("a", 0)), createApp(t, s, newApp("b", 0))
	p := app.UpdateParams{Stamp: app.Stamp{By: "user:ben", Now: at(5)}, ID: "a", Settings: app.Settings{
		Name: "new", IconURL: "/files/x", EntryURL: "https://new.example/", Sort: 7, VisibleFor: []string{"role:x", "user:y"}, SignOn: app.Ticket,
	}}
	want.Settings, want.ModifierID, want.ModifyTime = p.Settings, p.By, p.Now
	got, err := s.UpdateApp(t.Context(), p)
	sameApp(t, want, got, err)
	wantApp(t, s, want)
	p.Settings = app.Settings{Name: "bare", EntryURL: "https://new.example/", SignOn: app.NoSignOn}
	want.Settings = p.Settings
	got, err = s.UpdateApp(t.Context(), p)
	sameApp(t, want, got, err)
	wantApp(t, s, other)
}

func testAppUpdateEnabled(t *testing.T, s portalhub.Store) {
	createApp(t, s, newApp("a", 0))
	no, yes := false, true
	for _, tt := range []struct {
		set  *bool
		want bool
	}{{nil, true}, {&no, false}, {nil, false}, {&no, false}, {&yes, true}, {nil, true}} {
		got, err := s.UpdateApp(t.Context(), app.UpdateParams{Stamp: app.Stamp{By: "user:x", Now: at(1)}, ID: "a", Enabled: tt.set})
		if err != nil || got.Enabled != tt.want {
			t.Errorf("%v: %v, %v", tt.set, got.Enabled, err)
		}
	}
}

func testAppUnknown(t *testing.T, s portalhub.Store) {
	createApp(t, s, newApp("a", 0))
	for _, id := range []string{"", "A", "a ", "b", "%", "a_"} {
		_, got := s.GetApp(t.Context(), app.GetParams{ID: id})
		_, updated := s.UpdateApp(t.Context(), app.UpdateParams{Stamp: app.Stamp{By: "user:x", Now: at(1)}, ID: id})
		_, enabled := s.EnableApp(t.Context(), app.EnableParams{Stamp: app.Stamp{By: "user:x", Now: at(1)}, ID: id})
		for _, err := range []error{got, updated, enabled} {
			if err == nil || fault.KindOf(err) != fault.NotFound {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	wantApps(t, s, app.ListParams{}, "a")
}

func testAppEnable(t *testing.T, s portalhub.Store) {
	want := createApp(t, s, newApp("a", 0))
	for i, enabled := range []bool{true, false, false, true, true} {
		p := app.EnableParams{Stamp: app.Stamp{By: fmt.Sprint("user:", i), Now: at(10 + i)}, ID: "a", Enabled: enabled}
		if want.Enabled != enabled {
			want.Enabled, want.ModifierID, want.ModifyTime = enabled, p.By, p.Now
		}
		got, err := s.EnableApp(t.Context(), p)
		sameApp(t, want, got, err)
		wantApp(t, s, want)
	}
}

func testAppTimes(t *testing.T, s portalhub.Store) {
	want := createApp(t, s, newApp("a", 10))
	got, err := s.UpdateApp(t.Context(), app.UpdateParams{Stamp: app.Stamp{By: "user:ben", Now: at(5)}, ID: "a", Settings: want.Settings})
	want.ModifierID = "user:ben"
	sameApp(t, want, got, err)
	got, err = s.EnableApp(t.Context(), app.EnableParams{Stamp: app.Stamp{By: "user:amy", Now: at(6)}, ID: "a"})
	want.ModifierID, want.Enabled = "user:amy", false
	sameApp(t, want, got, err)
}

func testAppList(t *testing.T, s portalhub.Store) {
	wantApps(t, s, app.ListParams{})
	for id, place := range map[string]struct {
		sort int64
		name string
	}{
		"f": {2, "a"}, "e": {1, "é"}, "d": {1, "b"}, "c2": {1, "B"}, "c1": {1, "B"}, "b": {1, ""}, "a": {-5, "z"},
	} {
		p := newApp(id, 0)
		p.Sort, p.Name = place.sort, place.name
		createApp(t, s, p)
	}
	wantApps(t, s, app.ListParams{}, "a", "b", "c1", "c2", "d", "e", "f")
	wantApps(t, s, app.ListParams{Enabled: true}, "a", "b", "c1", "c2", "d", "e", "f")
}

func testAppListEnabled(t *testing.T, s portalhub.Store) {
	for _, id := range []string{"a", "b", "c"} {
		p := newApp(id, 0)
		p.Enabled = id != "b"
		createApp(t, s, p)
	}
	wantApps(t, s, app.ListParams{Enabled: true}, "a", "c")
	wantApps(t, s, app.ListParams{}, "a", "b", "c")
}
