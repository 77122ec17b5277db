package people_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/people"
)

func TestAUsernameStaysWithItsFirstSubject(t *testing.T) {
	m := people.NewMemory()
	amy := token.Identity{Issuer: "https://id.test", Subject: "1", Username: "amy", Name: "Amy", Roles: []string{"staff"}}
	later := amy
	later.Name, later.Email, later.Roles = "Amy B", "amy@hub.example", nil
	for _, who := range []token.Identity{amy, amy, later} {
		if err := m.LogIn(t.Context(), who); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(*token.Identity){
		"another subject": func(i *token.Identity) { i.Subject = "2" },
		"another issuer":  func(i *token.Identity) { i.Issuer = "https://other.test" },
	} {
		other := amy
		change(&other)
		if err := m.LogIn(t.Context(), other); fault.KindOf(err) != fault.Forbidden || !errors.Is(err, login.ErrOtherSubject) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, ok, err := m.Find(t.Context(), "amy")
	want := people.Person{Username: "amy", Name: "Amy B", Email: "amy@hub.example"}
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("found %v, %v, (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, _ := m.Find(t.Context(), "ben"); ok {
		t.Error("somebody is known who never logged in")
	}
}
