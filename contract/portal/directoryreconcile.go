package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"example.com/hub/contract"
)

func directoryReconcileCases() []testCase {
	return []testCase{
		{"a reconcile makes inactive exactly who is gone and repeating changes nothing", absentGone},
		{"who was told of at asOf or later is left alone", absentLater},
		{"a range of user ids bounds who is made inactive", absentRange},
		{"more than maxClose is a conflict and changes nobody", absentTooMany},
		{"a dry run changes nobody", absentDry},
		{"missing tells how many should be told of again", absentMissing},
		{"other values are refused", absentFaults},
	}
}

// absent is what a reconcile of people answers.
type absent struct {
	Closed, Missing int
	ClosedIDs       []string
}

// reconcile reconciles the company's people, of whom some are there; changes are made to the request.
func (c company) reconcile(t *testing.T, asOf string, changes object, there ...int) contract.Answer {
	t.Helper()
	ids := []string{}
	for _, n := range there {
		ids = append(ids, fmt.Sprintf("%s-%02d", c.id, n))
	}
	request := object{"asOf": asOf, "from": c.id, "to": c.id + "~", "open": ids}
	for name, value := range changes {
		request[name] = value
	}
	return c.Call(t, http.MethodPost, usersPath+"/reconcile", request, nil)
}

func (c company) wantReconciled(t *testing.T, a contract.Answer, closed, missing int) {
	t.Helper()
	var got absent
	if err := json.Unmarshal(a.OK(t), &got); err != nil {
		t.Fatal(err)
	}
	want(t, "closed and missing", [2]int{got.Closed, got.Missing}, [2]int{closed, missing})
	want(t, "the number of ids", len(got.ClosedIDs), closed)
}

// active are the company's people who are.
func (c company) active(t *testing.T) (names []string) {
	t.Helper()
	for _, u := range c.page(t, "q", c.id+".").Data {
		if u["active"] == true {
			names = append(names, u["userId"].(string)[len(c.id)+1:])
		}
	}
	return names
}

// threePeople makes a company whose three people were told of before the time that it gives.
func threePeople(t *testing.T, s *contract.Session) (c company, asOf string) {
	t.Helper()
	c = newCompany(s)
	c.tellAll(t, c.person(1), c.person(2), c.person(3))
	return c, gap(t, s)
}

func absentGone(t *testing.T, s *contract.Session) {
	c, asOf := threePeople(t, s)
	c.wantReconciled(t, c.reconcile(t, asOf, nil, 1), 2, 0)
	want(t, "who is active", c.active(t), []string{"01"})
	c.wantReconciled(t, c.reconcile(t, asOf, nil, 1), 0, 0)
	c.tellAll(t, c.person(2))
	want(t, "who is active", c.active(t), []string{"01", "02"})
}

func absentLater(t *testing.T, s *contract.Session) {
	c, asOf := threePeople(t, s)
	c.tellAll(t, c.person(2))
	c.wantReconciled(t, c.reconcile(t, asOf, nil), 2, 0)
	want(t, "who is active", c.active(t), []string{"02"})
}

func absentRange(t *testing.T, s *contract.Session) {
	c, asOf := threePeople(t, s)
	c.wantReconciled(t, c.reconcile(t, asOf, object{"from": c.id + "-01", "to": c.id + "-02"}), 1, 0)
	want(t, "who is active", c.active(t), []string{"01", "03"})
}

func absentTooMany(t *testing.T, s *contract.Session) {
	c, asOf := threePeople(t, s)
	c.reconcile(t, asOf, object{"maxClose": 2}).Fails(t, http.StatusConflict)
	want(t, "who is active", c.active(t), []string{"01", "02", "03"})
	c.wantReconciled(t, c.reconcile(t, asOf, object{"maxClose": 3}), 3, 0)
}

func absentDry(t *testing.T, s *contract.Session) {
	c, asOf := threePeople(t, s)
	c.wantReconciled(t, c.reconcile(t, asOf, object{"dryRun": true}, 1), 2, 0)
	want(t, "who is active", c.active(t), []string{"01", "02", "03"})
}

func absentMissing(t *testing.T, s *contract.Session) {
	c, asOf := threePeople(t, s)
	c.tellAll(t, c.person(3, "active", false))
	c.wantReconciled(t, c.reconcile(t, asOf, nil, 1, 3, 9), 1, 2)
}

func absentFaults(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	now := hubTime(t, s)
	good := now.Add(-time.Minute).Format(time.RFC3339)
	for _, changes := range []object{
		{"asOf": nil},
		{"asOf": "soon"},
		{"asOf": now.Add(time.Hour).Format(time.RFC3339)},
		{"asOf": now.Add(-25 * time.Hour).Format(time.RFC3339)},
		{"to": "a", "from": "b"},
		{"open": []string{c.id + "-02", c.id + "-01"}},
		{"open": []string{""}},
		{"open": []string{"a"}},
		{"open": []string{c.id + "~~"}},
		{"open": []int{1}},
		{"maxClose": 0},
		{"maxClose": 10_001},
		{"maxClose": "1"},
		{"dryRun": 1},
	} {
		c.reconcile(t, good, changes).Fails(t, http.StatusBadRequest)
	}
}
