package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
)

func reconcileCases() []testCase {
	return []testCase{
		{"a reconcile closes exactly what is gone and repeating closes nothing", reconcileGone},
		{"what changed at asOf or later is left alone", reconcileLater},
		{"the todos of another client are left alone", reconcileOthers},
		{"a range of ids bounds what is closed", reconcileRange},
		{"invalidate writes the result as the reason", reconcileInvalidate},
		{"more than maxClose is a conflict and closes nothing", reconcileTooMuch},
		{"a dry run closes nothing", reconcileDry},
		{"missing and stale tell what should be reported again", reconcileCounts},
		{"other values are refused", reconcileFaults},
		{"an id in open that no todo can have is refused", reconcileIDs},
	}
}

// reconciled is what a reconcile answers.
type reconciled struct {
	Closed, Missing, Stale int
	ClosedIDs              []string
}

const reconcilePath = todosPath + "/reconcile"

// hubTime is the time of an answer, which is cut to the second.
func hubTime(t *testing.T, s *contract.Session) time.Time {
	t.Helper()
	a := s.Call(t, http.MethodGet, todosPath+"?size=1&assigneeUsername=amy", nil, nil)
	at, err := http.ParseTime(a.Header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// gap lets a second of Hub's clock pass, so that what is stored already is older than asOf, which it gives.
func gap(t *testing.T, s *contract.Session) string {
	t.Helper()
	from := hubTime(t, s)
	for {
		// Two, since a hub's clock may differ from that of the edge.
		if at := hubTime(t, s); at.Sub(from) >= 2*time.Second {
			return at.Add(-time.Second).Format(time.RFC3339)
		}
	}
}

// family stores n todos whose ids have a prefix of their own, and gives a request whose range has them alone.
func family(t *testing.T, s *contract.Session, n int) (ids []string, request object) {
	t.Helper()
	prefix := contract.Fresh("todo") + "-"
	for i := range n {
		ids = append(ids, fmt.Sprintf("%s%02d", prefix, i))
		change(t, s, "", draftBody(contract.Fresh("user")).with("todoId", ids[i]))
	}
	return ids, object{"from": prefix, "to": prefix + "~", "action": "clear"}
}

// open is what is open at the client.
func open(ids ...string) []object {
	list := []object{}
	for _, id := range ids {
		list = append(list, object{"todoId": id})
	}
	return list
}

func reconcile(t *testing.T, s *contract.Session, request object) reconciled {
	t.Helper()
	var r reconciled
	if err := json.Unmarshal(s.Call(t, http.MethodPost, reconcilePath, request, nil).OK(t), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// wantStatus looks at todos by changing nothing: a clear of version 0 is too old for them.
func wantStatus(t *testing.T, s *contract.Session, status string, ids ...string) map[string]json.RawMessage {
	t.Helper()
	var item map[string]json.RawMessage
	for _, id := range ids {
		item = change(t, s, "/"+id+"/clear", object{"result": "look", "sourceVersion": 0})
		want(t, id, string(item["status"]), `"`+status+`"`)
	}
	return item
}

func reconcileGone(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 5)
	request = request.with("asOf", gap(t, s), "open", open(ids[1], ids[3]))
	want(t, "the answer", reconcile(t, s, request), reconciled{Closed: 3, ClosedIDs: []string{ids[0], ids[2], ids[4]}})
	wantStatus(t, s, "OPEN", ids[1], ids[3])
	item := wantStatus(t, s, "CLEARED", ids[0], ids[2], ids[4])
	want(t, "the result", string(item["result"]), `"reconciled"`)
	want(t, "a repeat", reconcile(t, s, request), reconciled{ClosedIDs: []string{}})
}

func reconcileLater(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 2)
	asOf := gap(t, s)
	change(t, s, "", draftBody(contract.Fresh("user")).with("todoId", ids[1]))
	want(t, "closed", reconcile(t, s, request.with("asOf", asOf)).ClosedIDs, ids[:1])
	wantStatus(t, s, "OPEN", ids[1])
}

func reconcileOthers(t *testing.T, s *contract.Session) {
	ids, request := family(t, s.Other(), 2)
	want(t, "the answer", reconcile(t, s, request.with("asOf", gap(t, s))), reconciled{ClosedIDs: []string{}})
	wantStatus(t, s.Other(), "OPEN", ids...)
}

func reconcileRange(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 5)
	request = request.with("asOf", gap(t, s), "from", ids[1], "to", ids[3])
	want(t, "closed", reconcile(t, s, request).ClosedIDs, ids[2:4])
	wantStatus(t, s, "OPEN", ids[0], ids[1], ids[4])
	for _, outside := range []string{ids[0], ids[1], ids[4]} {
		s.Call(t, http.MethodPost, reconcilePath, request.with("open", open(outside)), nil).Fails(t, http.StatusBadRequest)
	}
}

func reconcileInvalidate(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 1)
	reconcile(t, s, request.with("asOf", gap(t, s), "action", "invalidate", "result", "sold"))
	item := wantStatus(t, s, "INVALID", ids...)
	want(t, "the reason", string(item["reason"]), `"sold"`)
	want(t, "the result", string(item["result"]), `""`)
}

func reconcileTooMuch(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 3)
	request = request.with("asOf", gap(t, s))
	msg := s.Call(t, http.MethodPost, reconcilePath, request.with("maxClose", 2), nil).Fails(t, http.StatusConflict)
	want(t, "the message", msg, "more than 2 todos would be closed")
	wantStatus(t, s, "OPEN", ids...)
	want(t, "closed", reconcile(t, s, request.with("maxClose", 3)).Closed, 3)
}

func reconcileDry(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 3)
	request = request.with("asOf", gap(t, s), "dryRun", true)
	want(t, "the answer", reconcile(t, s, request).ClosedIDs, ids)
	wantStatus(t, s, "OPEN", ids...)
	s.Call(t, http.MethodPost, reconcilePath, request.with("maxClose", 2), nil).Fails(t, http.StatusConflict)
}

func reconcileCounts(t *testing.T, s *contract.Session) {
	ids, request := family(t, s, 5)
	finish(t, s, ids[0], "clear")
	list := append(open(ids...), object{"todoId": ids[4] + "-unknown", "sourceVersion": 9})
	list[1]["sourceVersion"], list[2]["sourceVersion"], list[3]["sourceVersion"], list[0]["sourceVersion"] = 8, 7, 6, 8
	got := reconcile(t, s, request.with("asOf", gap(t, s), "open", list))
	want(t, "the answer", got, reconciled{Missing: 2, Stale: 1, ClosedIDs: []string{}})
}

func reconcileFaults(t *testing.T, s *contract.Session) {
	now := hubTime(t, s)
	good := object{"asOf": now.Add(-time.Minute).Format(time.RFC3339), "from": "none-b", "to": "none-c", "action": "clear"}
	reconcile(t, s, good)
	many := make([]object, 20_001)
	for i := range many {
		many[i] = object{"todoId": fmt.Sprintf("none-b%06d", i)}
	}
	reconcile(t, s, good.with("open", many[:20_000]))
	for name, faults := range map[string][]object{
		"as of": {
			{"asOf": nil},
			{"asOf": "yesterday"},
			{"asOf": now.Add(time.Hour).Format(time.RFC3339)},
			{"asOf": now.Add(-25 * time.Hour).Format(time.RFC3339)},
		},
		"to":               {{"to": "none-a"}, {"to": strings.Repeat("z", 256)}},
		"from":             {{"from": strings.Repeat("a", 256)}},
		"open must have":   {{"open": many}},
		"open[1].todo id":  {{"open": open("none-b2", "none-b1")}, {"open": open("none-b1", "none-b1")}},
		"open[1] must":     {{"open": []any{object{"todoId": "none-b1"}, nil}}},
		"source version":   {{"open": []any{object{"todoId": "none-b1", "sourceVersion": -1}}}},
		"action":           {{"action": nil}, {"action": "CLEAR"}, {"action": "delete"}},
		"result":           {{"result": ""}, {"result": strings.Repeat("r", 256)}},
		"max close":        {{"maxClose": 0}, {"maxClose": 10_001}},
		"maxClose must be": {{"maxClose": "1"}},
		"dryRun must be":   {{"dryRun": "true"}},
	} {
		for _, fault := range faults {
			body := good
			for field, value := range fault {
				body = body.with(field, value)
			}
			if msg := s.Call(t, http.MethodPost, reconcilePath, body, nil).Fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, name) {
				t.Errorf("the message of %s is %q", name, msg)
			}
		}
	}
}

func reconcileIDs(t *testing.T, s *contract.Session) {
	request := object{"asOf": hubTime(t, s).Format(time.RFC3339), "action": "clear", "from": "none-b", "to": "none-c"}
	for id, fault := range map[string]string{
		"none-b\x00":                        "must not contain NUL",
		"none-b\n":                          "must not contain control characters",
		"none-b" + strings.Repeat("b", 250): "must be at most 255 characters",
	} {
		a := s.Call(t, http.MethodPost, reconcilePath, request.with("open", open(id)), nil)
		want(t, strconv.Quote(id), a.Fails(t, http.StatusBadRequest), "open[0].todo id "+fault)
	}
}
