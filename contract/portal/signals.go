package portal

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
)

func signalCases() []testCase {
	return []testCase{
		{"an upsert sends an event to the assignee without an id line", signalForm},
		{"a clear and an invalidate send one", signalFinish},
		{"an upsert that moves a todo sends one to both users", signalMove},
		{"an upsert with the same content sends one", signalSame},
		{"a stale change and one that changes nothing send none", signalNothing},
		{"each item of a batch sends one", signalBatch},
		{"a reconcile sends one for what it closes", signalReconcile},
		{"of more than 20 todos of a user in one call there is one event without an id", signalMany},
		{"a stream hears of todos only when it asks for them", signalDefault},
		{"topics=todo alone has heartbeats and no messages", signalAlone},
		{"a client that comes back is told to look and misses no message", signalResume},
		{"other topics are refused", signalTopics},
	}
}

const todosOnly = "&topics=todo"

func signalForm(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	stream := hear(t, s, user, todosOnly, nil)
	body := todoBody(user)
	change(t, s, "", body)
	stream.wants(t, changed(body["todoId"]))
}

func signalFinish(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	cleared, invalid := todoBody(user), todoBody(user)
	stream := hear(t, s, user, todosOnly, nil)
	stream.hears(t, s, cleared)
	stream.hears(t, s, invalid)
	change(t, s, "/"+cleared["todoId"].(string)+"/clear", object{"result": "done"})
	stream.wants(t, changed(cleared["todoId"]))
	change(t, s, "/"+invalid["todoId"].(string)+"/invalidate?reason=void", nil)
	stream.wants(t, changed(invalid["todoId"]))
}

func signalMove(t *testing.T, s *contract.Session) {
	from, to := contract.Fresh("user"), contract.Fresh("user")
	body := todoBody(from)
	former, next := hear(t, s, from, todosOnly, nil), hear(t, s, to, todosOnly, nil)
	former.hears(t, s, body)
	change(t, s, "", body.with("assigneeUsername", to))
	former.wants(t, changed(body["todoId"]))
	next.wants(t, changed(body["todoId"]))
}

func signalSame(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	body := todoBody(user)
	stream := hear(t, s, user, todosOnly, nil)
	stream.hears(t, s, body)
	stream.hears(t, s, body)
}

func signalNothing(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	newer, done, last := draftBody(user), todoBody(user), todoBody(user)
	id := "/" + done["todoId"].(string)
	stream := hear(t, s, user, todosOnly, nil)
	stream.hears(t, s, newer)
	stream.hears(t, s, done)
	change(t, s, id+"/clear", object{"result": "done"})
	stream.wants(t, changed(done["todoId"]))
	change(t, s, "", newer.with("sourceVersion", 6))
	change(t, s, id+"/clear", object{"result": "done"})
	s.Call(t, http.MethodPost, todosPath+id+"/invalidate", nil, nil).Fails(t, http.StatusConflict)
	change(t, s, "", last)
	stream.wants(t, changed(last["todoId"]))
}

func signalBatch(t *testing.T, s *contract.Session) {
	user, other := contract.Fresh("user"), contract.Fresh("user")
	stream, others := hear(t, s, user, todosOnly, nil), hear(t, s, other, todosOnly, nil)
	one, two, three := todoBody(user), todoBody(other), todoBody(user)
	sendBatch(t, s, batchPath, one, two, todoBody(user).with("title", ""), three)
	stream.wants(t, changed(one["todoId"]), changed(three["todoId"]))
	others.wants(t, changed(two["todoId"]))
}

func signalReconcile(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	prefix := contract.Fresh("todo") + "-"
	for _, n := range []string{"1", "2", "3"} {
		change(t, s, "", todoBody(user).with("todoId", prefix+n))
	}
	asOf := gap(t, s)
	stream := hear(t, s, user, todosOnly, nil)
	request := object{"from": prefix, "to": prefix + "~", "action": "clear", "asOf": asOf, "open": open(prefix + "2")}
	reconcile(t, s, request.with("dryRun", true))
	reconcile(t, s, request)
	stream.wants(t, changed(prefix+"1"), changed(prefix+"3"))
}

func signalMany(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	stream := hear(t, s, user, todosOnly, nil)
	var items []any
	for range 21 {
		items = append(items, todoBody(user))
	}
	sendBatch(t, s, batchPath, items...)
	if e := stream.change(t); e != anyTodo {
		t.Errorf("the event is %s, want %s", e, anyTodo)
	}
	last := todoBody(user)
	change(t, s, "", last)
	if all := stream.changes(t, changed(last["todoId"])); len(all) != 1 {
		t.Errorf("%q come, too", all)
	}
}

func signalDefault(t *testing.T, s *contract.Session) {
	for query, both := range map[string]bool{"": false, "&topics=inbox": false, "&topics=inbox,todo": true, "&topics=todo,inbox,todo": true} {
		user := contract.Fresh("user")
		stream := hear(t, s, user, query, nil)
		body := todoBody(user)
		change(t, s, "", body)
		if both {
			stream.wants(t, changed(body["todoId"]))
		}
		pushTo(t, s, user)
		if e := stream.change(t); !strings.HasPrefix(e, "message ") && (!both || e != anyTodo) {
			t.Errorf("with the query %q comes %s, want a message", query, e)
		}
	}
}

func signalAlone(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	stream := hear(t, s, user, todosOnly, nil)
	pushTo(t, s, user)
	body := todoBody(user)
	change(t, s, "", body)
	stream.wants(t, changed(body["todoId"]))
	for late := time.Now().Add(s.Settings().HeartbeatInterval + patience); ; {
		if stream.next(t).kind == "heartbeat" {
			return
		}
		if time.Now().After(late) {
			t.Fatal("no heartbeat comes")
		}
	}
}

func signalResume(t *testing.T, s *contract.Session) {
	user := contract.Fresh("user")
	first := hear(t, s, user, "&topics=inbox,todo", nil)
	pushTo(t, s, user)
	seen := first.change(t)
	for seen == anyTodo {
		seen = first.change(t)
	}
	var id string
	if err := json.Unmarshal([]byte(strings.TrimPrefix(seen, "message ")), &id); err != nil {
		t.Fatalf("%s: %v", seen, err)
	}
	for range 2 {
		back := hear(t, s, user, "&topics=inbox,todo&lastEventId="+url.QueryEscape(id), nil)
		if e := back.change(t); e != anyTodo {
			t.Errorf("the first event is %s, want %s", e, anyTodo)
		}
		pushTo(t, s, user)
		e := back.change(t)
		for e == anyTodo {
			e = back.change(t)
		}
		if !strings.HasPrefix(e, "message ") {
			t.Errorf("the event is %s, want a message", e)
		}
	}
}

func signalTopics(t *testing.T, s *contract.Session) {
	for query, fault := range map[string]string{
		"&topics=calendar":                "topics must be inbox, todo or both, separated by a comma",
		"&topics=inbox,":                  "topics must be inbox, todo or both, separated by a comma",
		"&topics=Todo":                    "topics must be inbox, todo or both, separated by a comma",
		"&topics=":                        "topics must be inbox, todo or both, separated by a comma",
		"&topics=inbox&topics=todo":       "topics must not be repeated",
		"&topics=inbox%2Ctodo%2Ccalendar": "topics must be inbox, todo or both, separated by a comma",
	} {
		a := s.Call(t, http.MethodGet, "/message-hub/stream?user="+contract.Fresh("user")+query, nil, nil)
		if msg := a.Fails(t, http.StatusBadRequest); msg != fault {
			t.Errorf("%s: %s, want %s", query, msg, fault)
		}
	}
}
