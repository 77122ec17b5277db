package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/people"
)

var peopleCases = []testCase{
	{"Person/a feed creates and replaces", testPersonUpsert},
	{"Person/values stay byte by byte", testPersonValues},
	{"Person/a user id and a username belong together", testPersonLinks},
	{"Person/the feed takes over who logged in", testPersonTakeover},
	{"Person/many feeds at once store each once", testPersonRace},
	{"Person/one of many claims of a user id wins", testPersonLinkRace},
	{"Person/get unknown", testPersonUnknown},
	{"Person/get tells her roles and departments", testPersonMember},
	{"Person/a clock that steps back changes no modify time", testPersonClock},
	{"Login/creates where it may", testLoginCreates},
	{"Login/the first issuer and subject stay", testLoginSubject},
	{"Login/what the feed told stays", testLoginOfFeed},
	{"Login/who is inactive is not admitted", testLoginInactive},
	{"Login/of many subjects at once one is admitted", testLoginRace},
	{"Resolve/gives the names of known ids", testResolve},
}

// told is by whom, and some milliseconds after start.
func told(millis int) people.Stamp { return people.Stamp{By: "hr", Now: at(millis)} }

// entry fills every field with a value of its own.
func entry(id, username string) people.Entry {
	return people.Entry{
		UserID: id, Username: username, Name: "Name of " + username, Email: username + "@hub.example", DeptID: "d " + id, Active: true,
	}
}

// upsertPeople stores entries, which come in the order of their usernames.
func upsertPeople(t *testing.T, s portalhub.Store, millis int, entries ...people.Entry) {
	t.Helper()
	stored, err := s.UpsertPeople(t.Context(), told(millis), entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !stored[e.Username] {
			t.Fatalf("%s was not stored", e.Username)
		}
	}
}

func getPerson(t *testing.T, s portalhub.Store, username string) people.Member {
	t.Helper()
	m, err := s.GetPerson(t.Context(), username)
	if err != nil {
		t.Fatalf("get %q: %v", username, err)
	}
	return m
}

// fed is a person of the feed, created and changed some milliseconds after start.
func fed(e people.Entry, created, changed int) people.Person {
	return people.Person{Entry: e, Origin: people.Feed, Audit: people.Audit{
		CreateTime: at(created), ModifyTime: at(changed), CreatorID: "hr", ModifierID: "hr",
	}}
}

func wantPerson(t *testing.T, s portalhub.Store, want people.Person) {
	t.Helper()
	if diff := cmp.Diff(want, getPerson(t, s, want.Username).Person); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func testPersonUpsert(t *testing.T, s portalhub.Store) {
	upsertPeople(t, s, 0, entry("1", "amy"), entry("2", "ben"))
	wantPerson(t, s, fed(entry("1", "amy"), 0, 0))
	changed := people.Entry{UserID: "2", Username: "ben"}
	upsertPeople(t, s, 5, changed)
	wantPerson(t, s, fed(changed, 0, 5))
	wantPerson(t, s, fed(entry("1", "amy"), 0, 0))
}

func testPersonValues(t *testing.T, s portalhub.Store) {
	for i, text := range []string{"Ann ä\U0001f600 ", "NULL", `a,"b"`, `{c}`, `\`, "o'brien", "%_"} {
		e := people.Entry{UserID: text, Username: text, Name: text, Email: text, DeptID: text, Active: i%2 == 0}
		upsertPeople(t, s, i, e)
		wantPerson(t, s, fed(e, i, i))
	}
	upsertPeople(t, s, 0, entry("n", "amy"), entry("m", "Amy"))
	wantPerson(t, s, fed(entry("n", "amy"), 0, 0))
}

func testPersonLinks(t *testing.T, s portalhub.Store) {
	upsertPeople(t, s, 0, entry("1", "amy"), entry("2", "ben"))
	for _, wrong := range []people.Entry{entry("2", "amy"), entry("1", "ben"), entry("3", "amy"), entry("1", "carla")} {
		stored, err := s.UpsertPeople(t.Context(), told(1), []people.Entry{wrong, entry("9", "zoe")})
		if err != nil || stored[wrong.Username] || !stored["zoe"] {
			t.Errorf("%s as %s: stored %v, %v", wrong.UserID, wrong.Username, stored, err)
		}
	}
	wantPerson(t, s, fed(entry("1", "amy"), 0, 0))
	wantPerson(t, s, fed(entry("2", "ben"), 0, 0))
	if _, err := s.GetPerson(t.Context(), "carla"); !errors.Is(err, people.ErrUnknown) {
		t.Errorf("carla: %v", err)
	}
}

func testPersonTakeover(t *testing.T, s portalhub.Store) {
	logIn(t, s, loginOf("amy"), true)
	upsertPeople(t, s, 9, entry("1", "amy"))
	want := people.Member{Person: fed(entry("1", "amy"), 0, 9), Issuer: "iss", Subject: "sub amy", Departments: []string{"d 1"}}
	want.CreatorID = "user:amy"
	if diff := cmp.Diff(want, getPerson(t, s, "amy"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func testPersonRace(t *testing.T, s portalhub.Store) {
	const people20 = 20
	var group errgroup.Group
	for n := range 8 {
		group.Go(func() error {
			entries := make([]people.Entry, people20)
			for i := range entries {
				entries[i] = entry(fmt.Sprint(i), fmt.Sprintf("user%02d", i))
			}
			for {
				stored, err := s.UpsertPeople(t.Context(), told(n), entries)
				if err != nil || len(stored) == people20 {
					return err
				}
				if len(stored) > 0 {
					return fmt.Errorf("%d stored", len(stored))
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := walk(t, s, people.WalkParams{Size: 100}); len(got) != people20 {
		t.Errorf("%d people", len(got))
	}
}

func testPersonLinkRace(t *testing.T, s portalhub.Store) {
	var group errgroup.Group
	won := make([]bool, 8)
	for n := range won {
		group.Go(func() error {
			name := fmt.Sprint("user", n)
			stored, err := s.UpsertPeople(t.Context(), told(n), []people.Entry{entry("1", name)})
			won[n] = stored[name]
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	known, err := s.ResolveUsers(t.Context(), []string{"1"})
	if err != nil {
		t.Fatal(err)
	}
	winners := 0
	for n := range won {
		if won[n] {
			winners++
			if known["1"] != fmt.Sprint("user", n) {
				t.Errorf("user%d won, and the id is that of %s", n, known["1"])
			}
		}
	}
	if winners != 1 {
		t.Errorf("%d won", winners)
	}
}

func testPersonUnknown(t *testing.T, s portalhub.Store) {
	if _, err := s.GetPerson(t.Context(), "amy"); !errors.Is(err, people.ErrUnknown) {
		t.Errorf("error %v", err)
	}
}

func testPersonMember(t *testing.T, s portalhub.Store) {
	department(t, s, "a", "")
	department(t, s, "b", "a")
	department(t, s, "c", "b")
	e := entry("1", "amy")
	e.DeptID = "c"
	upsertPeople(t, s, 0, e)
	for _, role := range []string{"z", "staff", "other"} {
		upsertRole(t, s, role, map[bool][]string{true: {"0", "2"}, false: {"1", "2"}}[role == "other"]...)
	}
	want := people.Member{Person: fed(e, 0, 0), Roles: []string{"staff", "z"}, Departments: []string{"c", "b", "a"}}
	if diff := cmp.Diff(want, getPerson(t, s, "amy"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("member (-want +got):\n%s", diff)
	}
	beginSession(t, s, login("1", "amy", 5))
	older := login("2", "amy", 3)
	older.Claims = []string{"admin"}
	beginSession(t, s, older)
	want.Claims = []string{"staff"}
	if diff := cmp.Diff(want, getPerson(t, s, "amy"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("member (-want +got):\n%s", diff)
	}
}

func testPersonClock(t *testing.T, s portalhub.Store) {
	upsertPeople(t, s, 5, entry("1", "amy"))
	upsertPeople(t, s, 3, entry("1", "amy"))
	wantPerson(t, s, fed(entry("1", "amy"), 5, 5))
}

func testResolve(t *testing.T, s portalhub.Store) {
	inactive := entry("2", "ben")
	inactive.Active = false
	upsertPeople(t, s, 0, entry("1", "amy"), inactive)
	logIn(t, s, loginOf("carla"), true)
	got, err := s.ResolveUsers(t.Context(), []string{"2", "1", "x", "", "carla", "1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"1": "amy", "2": "ben"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	many := make([]string, people.MaxResolve)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	if got, err := s.ResolveUsers(t.Context(), many); err != nil || len(got) != 2 {
		t.Errorf("of many %v, %v", got, err)
	}
	if got, err := s.ResolveUsers(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of none %v, %v", got, err)
	}
}
