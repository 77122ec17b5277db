package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
)

func bearerCases() []peopleCase {
	return []peopleCase{
		{"a person may list her todos and her inbox, count, listen and mark as read", bearerCalls},
		{"a person may hear of her todos", bearerTodos},
		{"a name may be left out and means the caller", bearerNoName},
		{"the own name may stand", bearerOwnName},
		{"another name is 403", bearerOtherName},
		{"an empty name is 400", bearerEmptyName},
		{"every other call is 403 with insufficient_scope", bearerOthers},
		{"the answers to a person are extended", bearerExtended},
		{"what a person marks as read is hers alone", bearerRead},
		{"a person may mark all as read", bearerReadAll},
		{"batches and reconciles are 403 for a person", bearerMany},
		{"a person who has her counts is not sent them again", bearerCounts},
	}
}

// bearerCalls also shows that only what is hers comes.
func bearerCalls(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	message := st.push(t, st.amy)
	todo := upsert(t, st.Session, st.amy, contract.Fresh("todo"))
	others := st.push(t, st.ben)
	for name, call := range calls(message) {
		body := string(st.ask(t, call[0], call[1], header, "").body)
		switch name {
		case "todos":
			if !strings.Contains(body, todo) {
				t.Errorf("her todo is not in %s", body)
			}
		case "inbox":
			if !strings.Contains(body, message) || strings.Contains(body, others) {
				t.Errorf("not her inbox: %s", body)
			}
		}
	}
	stream := st.visitor().listen(t, header)
	stream.lives(t, st, st.amy)
}

func bearerNoName(t *testing.T, st *stage) {
	header := st.bearer(t, st.ben)
	message := st.push(t, st.ben)
	before := st.unread(t, st.ben)
	if got := string(st.ask(t, http.MethodGet, "/message-hub/unread-count", header, "").data(t)); got != before {
		t.Errorf("she has %s unread, want %s", got, before)
	}
	for _, call := range calls(message) {
		st.ask(t, call[0], call[1], header, "").data(t)
	}
	if after := st.unread(t, st.ben); after == before {
		t.Errorf("still %s unread", after)
	}
}

// named adds a person's name to a call.
func named(call, path, user string) string {
	return path + "?" + url.Values{names[call]: {user}}.Encode()
}

func bearerOwnName(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	for name, call := range calls(st.push(t, st.amy)) {
		st.ask(t, call[0], named(name, call[1], st.amy), header, "").data(t)
	}
}

func bearerOtherName(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	message := st.push(t, st.ben)
	before := st.unread(t, st.ben)
	all := calls(message)
	all["stream"] = [2]string{http.MethodGet, "/message-hub/stream"}
	for name, call := range all {
		for _, other := range []string{st.ben, strings.ToUpper(st.amy), st.amy + "x", "*"} {
			st.ask(t, call[0], named(name, call[1], other), header, "").fails(t, http.StatusForbidden)
		}
	}
	if after := st.unread(t, st.ben); after != before {
		t.Errorf("the other person has %s unread, want %s", after, before)
	}
}

func bearerEmptyName(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	all := calls(st.push(t, st.amy))
	all["stream"] = [2]string{http.MethodGet, "/message-hub/stream"}
	for name, call := range all {
		if msg := st.ask(t, call[0], named(name, call[1], ""), header, "").fails(t, http.StatusBadRequest); !strings.Contains(msg, "user") {
			t.Errorf("%s: the message does not name the field: %s", name, msg)
		}
	}
}

func bearerOthers(t *testing.T, st *stage) {
	header := with(st.bearer(t, st.amy), "Content-Type", "application/json")
	todo := upsert(t, st.Session, st.amy, contract.Fresh("todo"))
	for path, body := range map[string]string{
		"/todo-hub/todos":                         `{"todoId":"` + todo + `","type":"HANDLE","sourceBizId":"1","assigneeUsername":"` + st.amy + `","title":"changed","category":"c","actionUrl":"/x"}`,
		"/todo-hub/todos/" + todo + "/clear":      `{"result":"changed"}`,
		"/todo-hub/todos/" + todo + "/invalidate": "",
		"/message-hub/messages":                   `{"sourceMessageId":"x","targetUsernames":["` + st.amy + `"],"title":"t","content":"c"}`,
	} {
		st.ask(t, http.MethodPost, path, header, body).forbidden(t)
	}
	body := st.Call(t, http.MethodGet, "/todo-hub/todos?size=200&assigneeUsername="+st.amy, nil, nil).Body
	if !strings.Contains(string(body), todo) || strings.Contains(string(body), "changed") {
		t.Error("the todo has changed")
	}
}

func bearerExtended(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	for _, path := range []string{"/todo-hub/todos?status=open&type=handle", "/todo-hub/todos?status=Cleared", "/message-hub/inbox?status=unread", "/message-hub/inbox?cursor=&status=Read"} {
		st.ask(t, http.MethodGet, path, header, "").data(t)
	}
}

func bearerTodos(t *testing.T, st *stage) {
	stream := st.visitor().listenTo(t, st.bearer(t, st.amy), "?topics=todo")
	change(t, st.Session, "", todoBody(st.amy))
	stream.wants(t, "todo")
}

func bearerRead(t *testing.T, st *stage) {
	id := contract.Fresh("message")
	st.Call(t, http.MethodPost, "/message-hub/messages", map[string]any{
		"sourceMessageId": id, "targetUsernames": []string{st.amy, st.ben}, "title": "t", "content": "c",
	}, nil).OK(t)
	others, mine := st.unread(t, st.ben), st.unread(t, st.amy)
	header := st.bearer(t, st.amy)
	stream := st.visitor().listen(t, header)
	st.ask(t, http.MethodPost, "/message-hub/messages/"+id+"/read", header, "").data(t)
	stream.wants(t, "read")
	if st.unread(t, st.ben) != others || st.unread(t, st.amy) == mine {
		t.Errorf("amy has %s unread, ben %s; before %s and %s", st.unread(t, st.amy), st.unread(t, st.ben), mine, others)
	}
}

func bearerReadAll(t *testing.T, st *stage) {
	header := st.bearer(t, st.amy)
	st.push(t, st.amy)
	upTo := watermarkOf(t, st.Session, st.amy)
	body := fmt.Sprintf(`{"upTo":%q}`, upTo)
	st.ask(t, http.MethodPost, readAllPath, with(header, "Content-Type", "application/json"), body).data(t)
	if count := st.unread(t, st.amy); count != "0" {
		t.Errorf("she has %s unread messages", count)
	}
	other := fmt.Sprintf(`{"username":%q,"upTo":%q}`, st.ben, upTo)
	st.ask(t, http.MethodPost, readAllPath, with(header, "Content-Type", "application/json"), other).fails(t, http.StatusForbidden)
}

func bearerMany(t *testing.T, st *stage) {
	header := with(st.bearer(t, st.amy), "Content-Type", "application/json")
	todo := upsert(t, st.Session, st.amy, contract.Fresh("todo"))
	for path, body := range map[string]string{
		batchPath: `{"items":[{"todoId":"` + todo + `","type":"HANDLE","sourceBizId":"1","assigneeUsername":"` + st.amy +
			`","title":"changed","category":"c","actionUrl":"/x"}]}`,
		reconcilePath: fmt.Sprintf(`{"asOf":%q,"action":"clear"}`, hubTime(t, st.Session).Format(time.RFC3339)),
	} {
		st.ask(t, http.MethodPost, path, header, body).forbidden(t)
	}
	body := st.Call(t, http.MethodGet, "/todo-hub/todos?size=200&assigneeUsername="+st.amy, nil, nil).Body
	if !strings.Contains(string(body), todo) || strings.Contains(string(body), "changed") {
		t.Error("the todo has changed")
	}
}

func bearerCounts(t *testing.T, st *stage) {
	st.countsOnce(t, func(header http.Header) reply { return st.ask(t, http.MethodGet, "/counts", header, "") }, st.bearer(t, st.amy))
}

// tokenCases need a provider that gives what it should not.
func tokenCases() []peopleCase {
	return []peopleCase{
		{"a token without the scope of users is 403", tokenScope},
		{"a scope client means nothing in a token of people", tokenClientScope},
		{"a token for another audience, an ID token and one that has expired are 401", tokenInvalid},
		{"a token without a good username is 401", tokenUsername},
		{"a stream ends with its token", tokenStream},
	}
}

// signed are headers with a token of amy that has changes; without a provider of the suite there are none.
func (st *stage) signed(t *testing.T, typ string, changes map[string]any) (header http.Header, ok bool) {
	t.Helper()
	if st.provider == nil {
		return nil, false
	}
	claims := accessClaims(st.amy)
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return http.Header{"Authorization": {"Bearer " + st.provider.Sign(t, typ, claims)}}, true
}

func tokenScope(t *testing.T, st *stage) {
	for _, scope := range []any{nil, "", "openid", "hub:users", "HUB:USER"} {
		if header, ok := st.signed(t, "at+jwt", map[string]any{"scope": scope}); ok {
			st.ask(t, http.MethodGet, "/message-hub/unread-count", header, "").fails(t, http.StatusForbidden)
		}
	}
}

func tokenClientScope(t *testing.T, st *stage) {
	if header, ok := st.signed(t, "at+jwt", map[string]any{"scope": "client"}); ok {
		st.ask(t, http.MethodGet, "/message-hub/unread-count?username="+st.amy, header, "").fails(t, http.StatusForbidden)
	}
	if header, ok := st.signed(t, "at+jwt", map[string]any{"scope": "client hub:user"}); ok {
		st.ask(t, http.MethodGet, "/message-hub/unread-count?username="+st.ben, header, "").fails(t, http.StatusForbidden)
		st.ask(t, http.MethodGet, "/message-hub/unread-count", header, "").data(t)
	}
}

func tokenInvalid(t *testing.T, st *stage) {
	for typ, changes := range map[string]map[string]any{
		"at+jwt":       {"aud": "hub"},
		"AT+JWT":       {"exp": time.Now().Add(-time.Hour).Unix()},
		"JWT":          {"aud": providerClient, "nonce": "n", "scope": nil},
		"logout+jwt":   nil,
		"hub-jump+jwt": nil,
	} {
		if header, ok := st.signed(t, typ, changes); ok {
			st.ask(t, http.MethodGet, "/message-hub/unread-count", header, "").fails(t, http.StatusUnauthorized)
		}
	}
}

func tokenUsername(t *testing.T, st *stage) {
	for _, username := range []any{nil, "", " ", 7, []string{"amy"}, "a\nb", strings.Repeat("x", 1000)} {
		if header, ok := st.signed(t, "at+jwt", map[string]any{"preferred_username": username}); ok {
			st.ask(t, http.MethodGet, "/message-hub/unread-count", header, "").fails(t, http.StatusUnauthorized)
		}
	}
}

func tokenStream(t *testing.T, st *stage) {
	if header, ok := st.signed(t, "at+jwt", map[string]any{"exp": time.Now().Add(3 * time.Second).Unix()}); ok {
		st.visitor().listen(t, header).wantsEnd(t)
	}
}
