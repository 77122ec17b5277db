package portal

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func batchCases() []testCase {
	return []testCase{
		{"a batch equals the same single calls in order", batchEquals},
		{"a batch of another client's todos equals its single calls", batchOthers},
		{"a todoId that stands twice is applied twice", batchTwice},
		{"a batch has from 1 to 500 items", batchSize},
		{"an item of a wrong type fails alone and unreadable JSON fails the call", batchTypes},
		{"a batch in full takes words in any case", batchExtended},
		{"batches of the same items at once all succeed", batchRace},
	}
}

const batchPath = todosPath + "/batch"

// batchResult is what became of an item.
type batchResult struct {
	TodoID string `json:"todoId"`
	Code   string `json:"code"`
	Msg    string `json:"msg"`
	Stale  bool   `json:"stale"`
}

type batchAnswer struct {
	Results               []batchResult `json:"results"`
	Stored, Stale, Failed int
}

// sendBatch demands a success.
func sendBatch(t *testing.T, s *contract.Session, path string, items ...any) batchAnswer {
	t.Helper()
	return readBatch(t, s.Call(t, http.MethodPost, path, object{"items": items}, nil))
}

func readBatch(t *testing.T, a contract.Answer) (b batchAnswer) {
	t.Helper()
	if err := json.Unmarshal(a.OK(t), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// batchEquals sends the same items to two users, one by one and as a batch.
func batchEquals(t *testing.T, s *contract.Session) {
	build := func(user string) (items []any) {
		id := func(n int) string { return user + "-" + strconv.Itoa(n) }
		for n := range 8 {
			items = append(items, draftBody(user).with("todoId", id(n), "title", strconv.Itoa(n)))
		}
		return append(items,
			draftBody(user).with("todoId", id(0), "sourceVersion", 6),
			draftBody(user).with("todoId", id(1), "sourceVersion", 9, "title", "newer"),
			draftBody(user).with("todoId", id(2), "sourceVersion", nil, "title", ""),
			draftBody(user).with("todoId", id(2), "sourceVersion", nil, "title", "without"),
			draftBody(user).with("todoId", "..", "type", "none"),
			todoBody(user).with("todoId", id(3), "type", "none", "title", ""),
		)
	}
	single, batched := contract.Fresh("user"), contract.Fresh("user")
	var wanted batchAnswer
	for _, item := range build(single) {
		id := item.(object)["todoId"].(string)
		result := batchResult{TodoID: strings.Replace(id, single, batched, 1), Code: "0", Msg: "ok"}
		a := s.Call(t, http.MethodPost, todosPath, item, nil)
		switch {
		case a.Header.Get("Hub-Stale") == "true":
			result.Stale = true
			wanted.Stale++
		case a.Status == http.StatusOK && strings.Contains(string(a.Body), `"code":"0"`):
			wanted.Stored++
		default:
			result.Code, result.Msg = "-1", a.Fails(t, http.StatusBadRequest)
			wanted.Failed++
		}
		wanted.Results = append(wanted.Results, result)
	}
	want(t, "the answer", sendBatch(t, s, batchPath, build(batched)...), wanted)
	want(t, "the list", titles(t, s, batched), titles(t, s, single))
}

// batchOthers asks with a single call what HUB_TODO_OWNERSHIP allows.
func batchOthers(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	single, first, own := todoBody(user), todoBody(user), todoBody(user)
	for _, body := range []object{single, first} {
		change(t, s.Other(), "", body)
	}
	id := func(body object) string { return body["todoId"].(string) }
	wanted := batchAnswer{Stored: 2, Results: []batchResult{{id(first), "0", "ok", false}, {id(own), "0", "ok", false}}}
	if a := s.Call(t, http.MethodPost, todosPath, single.with("title", "taken"), nil); a.Status != http.StatusOK {
		wanted.Results[0].Code, wanted.Results[0].Msg = "-1", a.Fails(t, http.StatusForbidden)
		wanted.Stored, wanted.Failed = 1, 1
	}
	want(t, "the answer", sendBatch(t, s, batchPath, first.with("title", "taken"), own), wanted)
	if all := strings.Join(titles(t, s, user), "\n"); strings.Count(all, "taken") != 2*(wanted.Stored-1) {
		t.Errorf("stored are %s", all)
	}
}

// titles lists the todos of a user by their ids, with their titles and versions.
func titles(t *testing.T, s *contract.Session, user string) (all []string) {
	t.Helper()
	a := s.Call(t, http.MethodGet, todosPath+"?view=full&sort=id&size=100&assigneeUsername="+user, nil, nil)
	var list struct {
		Data []struct {
			ID, Title     string
			SourceVersion *int
		}
	}
	if err := json.Unmarshal(a.Body, &list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Data {
		version := "none"
		if item.SourceVersion != nil {
			version = strconv.Itoa(*item.SourceVersion)
		}
		all = append(all, strings.TrimPrefix(item.ID, user)+" "+item.Title+" "+version)
	}
	return all
}

func batchTwice(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := todoBody(user)
	got := sendBatch(t, s, batchPath, body.with("title", "first"), todoBody(user), body.with("title", "second"))
	if got.Stored != 3 {
		t.Errorf("%+v", got)
	}
	if all := strings.Join(titles(t, s, user), "\n"); !strings.Contains(all, "second none") || strings.Contains(all, "first") {
		t.Errorf("stored are %s", all)
	}
}

func batchSize(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	var items []any
	for range 500 {
		items = append(items, todoBody(user))
	}
	if got := sendBatch(t, s, batchPath, items...); got.Stored != 500 || len(got.Results) != 500 {
		t.Errorf("%d of %d are stored", got.Stored, len(got.Results))
	}
	for _, body := range []any{object{"items": append(items, items[0])}, object{"items": []any{}}, object{"items": nil}, object{}} {
		msg := s.Call(t, http.MethodPost, batchPath, body, nil).Fails(t, http.StatusBadRequest)
		if !strings.HasPrefix(msg, "items must ") {
			t.Errorf("the message is %q", msg)
		}
	}
}

func batchTypes(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	good := todoBody(user)
	got := sendBatch(t, s, batchPath, good.with("title", 1), nil, "text", good, []any{}, good.with("todoId", 1))
	want(t, "the results", got.Results, []batchResult{
		{TodoID: good["todoId"].(string), Code: "-1", Msg: "title must be a string"},
		{Code: "-1", Msg: "the item must be a JSON object"},
		{Code: "-1", Msg: "the item must be a JSON object"},
		{TodoID: good["todoId"].(string), Code: "0", Msg: "ok"},
		{Code: "-1", Msg: "the item must be a JSON object"},
		{Code: "-1", Msg: "todoId must be a string"},
	})
	if got.Stored != 1 || got.Failed != 5 {
		t.Errorf("%d stored, %d failed", got.Stored, got.Failed)
	}
	other := todoBody(user)["todoId"].(string)
	for _, body := range []string{`{"items":[{"todoId":"` + other + `"},]}`, `{"items":[{"a":1,"a":2}]}`, `{"items":{}}`, `{"items":"x"}`, `[]`} {
		s.Call(t, http.MethodPost, batchPath, body, nil).Fails(t, http.StatusBadRequest)
	}
}

func batchExtended(t *testing.T, s *contract.Session) {
	item := todoBody(contract.Fresh("user")).with("type", "review")
	if got := sendBatch(t, s, batchPath, item); got.Failed != 1 {
		t.Errorf("%+v", got)
	}
	if got := sendBatch(t, s, batchPath+"?view=full", item); got.Stored != 1 {
		t.Errorf("%+v", got)
	}
}

// batchRace sends the items in different orders.
func batchRace(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	var items, bodies []any
	for range 40 {
		items = append(items, todoBody(user))
	}
	for n := range 8 {
		turned := slices.Concat(items[n*5:], items[:n*5])
		if n%2 > 0 {
			slices.Reverse(turned)
		}
		bodies = append(bodies, object{"items": turned})
	}
	for _, a := range s.Together(t, batchPath, bodies...) {
		if got := readBatch(t, a); got.Stored != len(items) {
			t.Errorf("%d stored, %d failed", got.Stored, got.Failed)
		}
	}
}
