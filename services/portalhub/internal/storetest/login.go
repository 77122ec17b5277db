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

func loginOf(username string) people.LogInParams {
	return people.LogInParams{
		Stamp: people.Stamp{By: "user:" + username, Now: at(0)}, Username: username, Issuer: "iss", Subject: "sub " + username,
		Name: "Login of " + username, Email: username + "@login.example", Create: true,
	}
}

func logIn(t *testing.T, s portalhub.Store, p people.LogInParams, want bool) {
	t.Helper()
	admitted, err := s.LogInPerson(t.Context(), p)
	if err != nil || admitted != want {
		t.Errorf("login of %s as %s: admitted %v, want %v, %v", p.Username, p.Subject, admitted, want, err)
	}
}

func testLoginCreates(t *testing.T, s portalhub.Store) {
	p := loginOf("amy")
	p.Create = false
	logIn(t, s, p, false)
	if _, err := s.GetPerson(t.Context(), "amy"); !errors.Is(err, people.ErrUnknown) {
		t.Fatalf("error %v", err)
	}
	logIn(t, s, loginOf("amy"), true)
	want := people.Member{
		Issuer: "iss", Subject: "sub amy",
		Person: people.Person{
			Entry:  people.Entry{Username: "amy", Name: "Login of amy", Email: "amy@login.example", Active: true},
			Origin: people.Login,
			Audit:  people.Audit{CreateTime: at(0), ModifyTime: at(0), CreatorID: "user:amy", ModifierID: "user:amy"},
		},
	}
	if diff := cmp.Diff(want, getPerson(t, s, "amy"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	p = loginOf("amy")
	p.Create, p.Name, p.Email, p.Now = false, "Amy", "", at(7)
	logIn(t, s, p, true)
	want.Name, want.Email, want.ModifyTime = "Amy", "", at(7)
	if diff := cmp.Diff(want, getPerson(t, s, "amy"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func testLoginSubject(t *testing.T, s portalhub.Store) {
	logIn(t, s, loginOf("amy"), true)
	before := getPerson(t, s, "amy")
	for _, change := range []func(p *people.LogInParams){
		func(p *people.LogInParams) { p.Issuer = "ISS" },
		func(p *people.LogInParams) { p.Subject = "sub ben" },
		func(p *people.LogInParams) { p.Issuer, p.Subject = p.Subject, p.Issuer },
	} {
		p := loginOf("amy")
		p.Name, p.Now = "changed", at(5)
		change(&p)
		logIn(t, s, p, false)
	}
	if diff := cmp.Diff(before, getPerson(t, s, "amy")); diff != "" {
		t.Errorf("a refused login changed (-want +got):\n%s", diff)
	}
}

func testLoginOfFeed(t *testing.T, s portalhub.Store) {
	upsertPeople(t, s, 0, entry("1", "amy"))
	p := loginOf("amy")
	p.Now, p.Create = at(5), false
	logIn(t, s, p, true)
	wantPerson(t, s, fed(entry("1", "amy"), 0, 0))
	if m := getPerson(t, s, "amy"); m.Issuer != "iss" || m.Subject != "sub amy" {
		t.Errorf("issuer %q, subject %q", m.Issuer, m.Subject)
	}
	p.Subject = "sub ben"
	logIn(t, s, p, false)
}

func testLoginInactive(t *testing.T, s portalhub.Store) {
	e := entry("1", "amy")
	e.Active = false
	upsertPeople(t, s, 0, e)
	logIn(t, s, loginOf("amy"), false)
	wantPerson(t, s, fed(e, 0, 0))
}

func testLoginRace(t *testing.T, s portalhub.Store) {
	var group errgroup.Group
	admitted := make([]bool, 8)
	for n := range admitted {
		group.Go(func() (err error) {
			p := loginOf("amy")
			p.Subject = fmt.Sprint(n)
			admitted[n], err = s.LogInPerson(t.Context(), p)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	subject := getPerson(t, s, "amy").Subject
	for n := range admitted {
		if admitted[n] != (subject == fmt.Sprint(n)) {
			t.Errorf("%d admitted %v, and the subject is %s", n, admitted[n], subject)
		}
	}
}
