package contract

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

func finishCases() []testCase {
	return []testCase{
		stated("clear writes status CLEARED and the four values", clearWrites),
		stated("clearedAt defaults to the server time", clearDefaultTime),
		stated("clear needs a result", clearNeedsResult),
		stated("clear of an unknown todoId is a failure", clearUnknown),
		stated("clear answers the stored item", clearAnswersStored),
		stated("invalidate writes status INVALID and the reason", invalidateWrites),
		stated("invalidate needs no reason and no body", invalidateBare),
		stated("invalidate of an unknown todoId is a failure", invalidateUnknown),
		settled("a repeated clear answers the item unchanged", clearAgain),
		settled("a repeated invalidate answers the item unchanged", invalidateAgain),
		settled("clearing an INVALID item is a conflict and changes nothing", clearInvalid),
		settled("invalidating a CLEARED item is a conflict and changes nothing", invalidateCleared),
		settled("clear and invalidate set the modifier", finishModifier),
		settled("the todoId of the path counts and not one in the body", clearPathID),
		settled("of clear and invalidate at once one wins", finishRace),
		settled("of many clears at once the first writer wins", clearRace),
	}
}

func clearWrites(t *testing.T, s *suite) {
	for _, kind := range []string{"HANDLE", "REVIEW"} {
		want := s.main.upsert(t, newTodo().with("type", kind))
		at := "2030-01-02T03:04:05.000006Z"
		got := s.main.clear(t, want.ID, fields{"result": "approved", "clearedAt": at, "clearedBy": "carla", "reason": "all well"})
		want.Status, want.Result, want.ClearedAt, want.ClearedBy, want.Reason = "CLEARED", "approved", &at, "carla", "all well"
		sameTodo(t, got, want)
	}
}

func clearDefaultTime(t *testing.T, s *suite) {
	for _, body := range []fields{{"result": "done"}, {"result": "done", "clearedAt": nil, "clearedBy": nil, "reason": nil}} {
		item := s.main.clear(t, s.main.upsert(t, newTodo()).ID, body)
		aboutNow(t, "clearedAt", *item.ClearedAt)
		if item.ClearedBy != "" || item.Reason != "" {
			t.Errorf("clearedBy is %q and reason %q, want both empty", item.ClearedBy, item.Reason)
		}
	}
}

// aboutNow demands that an instant is the server's present time.
func aboutNow(t *testing.T, name, text string) {
	t.Helper()
	at, err := parseInstant(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if off := time.Since(at); off < -clockSlack || off > clockSlack {
		t.Errorf("%s is %s, %s off", name, text, off)
	}
}

func clearNeedsResult(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	for _, body := range []fields{{}, {"result": nil}, {"result": ""}, {"result": "  "}, {"clearedBy": "carla", "reason": "why"}} {
		msg := s.main.post(t, todoPath(item.ID, "clear"), body).fails(t, http.StatusBadRequest)
		if msg != "result must not be empty" {
			t.Errorf("the message is %q", msg)
		}
	}
	s.main.unchanged(t, item)
}

func clearUnknown(t *testing.T, s *suite) {
	s.main.post(t, todoPath(fresh("nothing"), "clear"), fields{"result": "done"}).fails(t, http.StatusNotFound)
}

func clearAnswersStored(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	s.main.unchanged(t, s.main.clear(t, item.ID, fields{"result": "done", "reason": "why"}))
	item = s.main.upsert(t, newTodo())
	s.main.unchanged(t, s.main.invalidate(t, item.ID, "why"))
}

func invalidateWrites(t *testing.T, s *suite) {
	want := s.main.upsert(t, newTodo())
	got := s.main.invalidate(t, want.ID, "withdrawn by ines & co + 100%")
	want.Status, want.Reason = "INVALID", "withdrawn by ines & co + 100%"
	sameTodo(t, got, want)
}

func invalidateBare(t *testing.T, s *suite) {
	for _, query := range []url.Values{nil, {"reason": {""}}} {
		want := s.main.upsert(t, newTodo())
		got := s.main.tryInvalidate(t, want.ID, query).todo(t)
		want.Status = "INVALID"
		sameTodo(t, got, want)
	}
}

func invalidateUnknown(t *testing.T, s *suite) {
	s.main.tryInvalidate(t, fresh("nothing"), url.Values{"reason": {"why"}}).fails(t, http.StatusNotFound)
}

func clearAgain(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	first := s.main.clear(t, item.ID, fields{"result": "first", "clearedBy": "a", "reason": "x"})
	second := s.main.clear(t, item.ID, fields{"result": "second", "clearedBy": "b", "reason": "y", "clearedAt": "2030-01-01T00:00:00Z"})
	sameTodo(t, second, first)
	s.main.unchanged(t, first)
}

func invalidateAgain(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	first := s.main.invalidate(t, item.ID, "first")
	sameTodo(t, s.main.invalidate(t, item.ID, "second"), first)
	s.main.unchanged(t, first)
}

func clearInvalid(t *testing.T, s *suite) {
	item := s.main.invalidate(t, s.main.upsert(t, newTodo()).ID, "void")
	s.main.post(t, todoPath(item.ID, "clear"), fields{"result": "done", "reason": "new"}).fails(t, http.StatusConflict)
	s.main.unchanged(t, item)
}

func invalidateCleared(t *testing.T, s *suite) {
	item := s.main.clear(t, s.main.upsert(t, newTodo()).ID, fields{"result": "done"})
	s.main.tryInvalidate(t, item.ID, url.Values{"reason": {"new"}}).fails(t, http.StatusConflict)
	s.main.unchanged(t, item)
}

func finishModifier(t *testing.T, s *suite) {
	if s.set.TodoOwnership == OwnershipSource {
		// Nobody but the creator may change an item, so the modifier cannot differ.
		item := s.main.clear(t, s.main.upsert(t, newTodo()).ID, fields{"result": "done"})
		if item.ModifierID != s.main.cred.ID {
			t.Errorf("the modifier is %q", item.ModifierID)
		}
		return
	}
	cleared := s.other.clear(t, s.main.upsert(t, newTodo()).ID, fields{"result": "done"})
	invalid := s.other.invalidate(t, s.main.upsert(t, newTodo()).ID, "void")
	for _, item := range []todoItem{cleared, invalid} {
		if item.ModifierID != s.other.cred.ID || item.CreatorID != s.main.cred.ID || item.SourceSystem != s.main.cred.ID {
			t.Errorf("%s: modifier %q, creator %q, source %q", item.Status, item.ModifierID, item.CreatorID, item.SourceSystem)
		}
	}
}

func clearPathID(t *testing.T, s *suite) {
	item, bystander := s.main.upsert(t, newTodo()), s.main.upsert(t, newTodo())
	got := s.main.clear(t, item.ID, fields{"result": "done", "todoId": bystander.ID})
	if got.ID != item.ID {
		t.Errorf("clear went to %q, want %q", got.ID, item.ID)
	}
	s.main.unchanged(t, bystander)
}

func finishRace(t *testing.T, s *suite) {
	for range 5 {
		item := s.main.upsert(t, newTodo())
		answers := s.main.together(t,
			request{method: http.MethodPost, path: todoPath(item.ID, "clear"), body: marshal(t, fields{"result": "done"})},
			request{method: http.MethodPost, path: todoPath(item.ID, "invalidate")},
		)
		winner, loser := answers[0], answers[1]
		if _, err := parseSuccess(winner.data); err != nil {
			winner, loser = loser, winner
		}
		got := winner.todo(t)
		loser.fails(t, http.StatusConflict)
		s.main.unchanged(t, got)
	}
}

func clearRace(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	var calls []request
	for range 8 {
		body := marshal(t, fields{"result": fresh("result"), "clearedBy": fresh("user")})
		calls = append(calls, request{method: http.MethodPost, path: todoPath(item.ID, "clear"), body: body})
	}
	stored := item
	for i, a := range s.main.together(t, calls...) {
		got := a.todo(t)
		if i == 0 {
			stored = got
		}
		sameTodo(t, got, stored)
	}
	s.main.unchanged(t, stored)
}
