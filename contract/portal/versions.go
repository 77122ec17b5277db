package portal

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"example.com/hub/contract"
)

func versionCases() []testCase {
	return []testCase{
		{"an older version changes nothing and answers the stored item", olderVersion},
		{"an older version comes before a conflict", olderVersionFirst},
		{"an equal or newer version applies and the last one wins", newerVersion},
		{"a change without a version applies and keeps the stored one", noVersion},
		{"clear has the version in its body and invalidate in its query", finishVersion},
		{"of 100 versions at once the highest stands", manyVersions},
	}
}

// wantStale demands that a change was too old, and that the item is as it was.
func wantStale(t *testing.T, what string, a contract.Answer, stored map[string]json.RawMessage) {
	t.Helper()
	if got := a.Header.Get("Hub-Stale"); got != "true" {
		t.Errorf("%s: Hub-Stale is %q: %s", what, got, a)
	}
	want(t, what, members(t, a.OK(t)), stored)
}

// changes are an upsert, a clear and an invalidate of an item with a version.
func changes(t *testing.T, s *contract.Session, body object, version int) map[string]func() contract.Answer {
	t.Helper()
	path := todosPath + "/" + body["todoId"].(string)
	post := func(path string, body any) func() contract.Answer {
		return func() contract.Answer { t.Helper(); return s.Call(t, http.MethodPost, path, body, nil) }
	}
	return map[string]func() contract.Answer{
		"upsert":     post(todosPath, body.with("title", "Another", "sourceVersion", version)),
		"clear":      post(path+"/clear", object{"result": "done", "sourceVersion": version}),
		"invalidate": post(path+"/invalidate?sourceVersion="+strconv.Itoa(version), nil),
	}
}

func olderVersion(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := draftBody(user)
	stored := change(t, s, "", body)
	for how, change := range changes(t, s, body, 6) {
		wantStale(t, how, change(), stored)
	}
	want(t, "listed", shown(t, s, user), stored)
}

func olderVersionFirst(t *testing.T, s *contract.Session) {
	for _, how := range []string{"clear", "invalidate"} {
		body := draftBody(contract.Fresh("user"))
		change(t, s, "", body)
		stored := members(t, changes(t, s, body, 8)[how]().OK(t))
		for late, change := range changes(t, s, body, 7) {
			wantStale(t, late+" after "+how, change(), stored)
		}
	}
}

func newerVersion(t *testing.T, s *contract.Session) {
	for _, version := range []int{7, 8, 1<<53 - 1} {
		for _, how := range []string{"upsert", "clear", "invalidate"} {
			user := contract.Fresh("user")
			body := draftBody(user)
			change(t, s, "", body)
			a := changes(t, s, body, version)[how]()
			a.OK(t)
			if a.Header.Get("Hub-Stale") != "" {
				t.Errorf("%s with version %d is stale: %s", how, version, a)
			}
			item := shown(t, s, user, "view", "full", "cursor", "", "status", "all")
			want(t, how+" stores", string(item["sourceVersion"]), strconv.Itoa(version))
		}
	}
}

func noVersion(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := draftBody(user)
	change(t, s, "", body)
	bare := body.with("sourceVersion", nil, "title", "Another")
	want(t, "the title", string(change(t, s, "", bare)["title"]), `"Another"`)
	id := body["todoId"].(string)
	want(t, "the status", string(change(t, s, "/"+id+"/clear", object{"result": "done"})["status"]), `"CLEARED"`)
	item := shown(t, s, user, "view", "full", "status", "CLEARED")
	want(t, "the version", string(item["sourceVersion"]), "7")
}

func finishVersion(t *testing.T, s *contract.Session) {
	body := draftBody(contract.Fresh("user"))
	stored := change(t, s, "", body)
	id := body["todoId"].(string)
	path := todosPath + "/" + id
	s.Call(t, http.MethodPost, path+"/clear", object{"result": "done", "sourceVersion": "6"}, nil).Fails(t, http.StatusBadRequest)
	s.Call(t, http.MethodPost, path+"/clear", object{"result": "done", "sourceVersion": -1}, nil).Fails(t, http.StatusBadRequest)
	for _, text := range []string{"-1", "x", "1.0", "9007199254740992", "99999999999999999999"} {
		msg := s.Call(t, http.MethodPost, path+"/invalidate?sourceVersion="+text, nil, nil).Fails(t, http.StatusBadRequest)
		want(t, "the message of "+text, msg, "source version must be an integer from 0 to 9007199254740991")
	}
	s.Call(t, http.MethodPost, path+"/invalidate?sourceVersion=6&sourceVersion=6", nil, nil).Fails(t, http.StatusBadRequest)
	wantStale(t, "clear", changes(t, s, body, 6)["clear"](), stored)
	a := s.Call(t, http.MethodPost, path+"/invalidate?sourceVersion=", object{"sourceVersion": 6}, nil)
	want(t, "the status", string(members(t, a.OK(t))["status"]), `"INVALID"`)
}

func manyVersions(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := todoBody(user)
	var bodies []any
	for n := range 100 {
		bodies = append(bodies, body.with("sourceVersion", n*37%100, "title", strconv.Itoa(n*37%100)))
	}
	stale := 0
	for _, a := range s.Together(t, todosPath, bodies...) {
		a.OK(t)
		if a.Header.Get("Hub-Stale") == "true" {
			stale++
		}
	}
	item := shown(t, s, user, "view", "full")
	want(t, "the title", string(item["title"]), `"99"`)
	want(t, "the version", string(item["sourceVersion"]), "99")
	t.Logf("%d of 100 came too late", stale)
}
