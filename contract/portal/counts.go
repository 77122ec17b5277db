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

func countCases() []testCase {
	return []testCase{
		{"without lists what waits for the user is counted", countDefault},
		{"lists chooses what is counted and a word twice counts once", countChosen},
		{"the counts are those of the lists", countFollows},
		{"overdue is what is open to handle and was due before now", countOverdue},
		{"an unknown list and a repeated parameter are refused", countRefused},
		{"a client names the user", countUser},
		{"a caller who has the tag of the answer is not sent it again", countTag},
		{"another answer has another tag", countTagChanges},
		{"If-None-Match takes several tags, weak ones and any", countConditions},
		{"a failure has no tag and is not kept", countFailure},
	}
}

// counting asks for the counts of a user.
func counting(t *testing.T, s *contract.Session, user string, header http.Header, more ...string) contract.Answer {
	t.Helper()
	query := url.Values{"username": {user}}
	for i := 0; i < len(more); i += 2 {
		query.Add(more[i], more[i+1])
	}
	return s.Call(t, http.MethodGet, "/counts?"+query.Encode(), nil, header)
}

// wantCounts demands exactly these counts of a user.
func wantCounts(t *testing.T, s *contract.Session, user, lists string, counts object) {
	t.Helper()
	var more []string
	if lists != "" {
		more = []string{"lists", lists}
	}
	var got map[string]int
	if err := json.Unmarshal(counting(t, s, user, nil, more...).OK(t), &got); err != nil {
		t.Fatal(err)
	}
	wanted := map[string]int{}
	for name, n := range counts {
		wanted[name] = n.(int)
	}
	want(t, "the counts of "+lists, got, wanted)
}

const allLists = "read,done,unread,overdue,toRead,toHandle"

func countDefault(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	none := object{"toHandle": 0, "toRead": 0, "overdue": 0, "unread": 0}
	wantCounts(t, s, user, "", none)
	change(t, s, "", todoBody(user))
	pushTo(t, s, user)
	pushTo(t, s, user)
	wantCounts(t, s, user, "", none.with("toHandle", 1, "unread", 2))
	a := counting(t, s, user, nil, "lists", "")
	want(t, "an empty parameter", string(a.OK(t)), string(counting(t, s, user, nil).OK(t)))
}

func countChosen(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	change(t, s, "", todoBody(user).with("type", "REVIEW"))
	pushTo(t, s, user)
	wantCounts(t, s, user, "unread", object{"unread": 1})
	wantCounts(t, s, user, "toRead", object{"toRead": 1})
	wantCounts(t, s, user, "done,toRead", object{"toRead": 1, "done": 0})
	wantCounts(t, s, user, "toRead,unread,toRead,unread,toRead,toRead,toRead", object{"toRead": 1, "unread": 1})
	wantCounts(t, s, user, allLists, object{"toHandle": 0, "toRead": 1, "overdue": 0, "unread": 1, "done": 0, "read": 0})
}

// countFollows has the life of two todos and a message; what is withdrawn or another's is nowhere.
func countFollows(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	none := object{"toHandle": 0, "toRead": 0, "overdue": 0, "unread": 0, "done": 0, "read": 0}
	handle, read := todoBody(user), todoBody(user).with("type", "REVIEW")
	change(t, s, "", handle)
	change(t, s, "", read)
	message := pushTo(t, s, user)
	wantCounts(t, s, user, allLists, none.with("toHandle", 1, "toRead", 1, "unread", 1))
	finish(t, s, handle["todoId"].(string), "clear")
	s.Call(t, http.MethodPost, "/message-hub/messages/"+message+"/read?username="+user, nil, nil).OK(t)
	wantCounts(t, s, user, allLists, none.with("toRead", 1, "done", 1))
	finish(t, s, read["todoId"].(string), "clear")
	wantCounts(t, s, user, allLists, none.with("done", 1, "read", 1))
	change(t, s, "", handle.with("assigneeUsername", contract.Fresh("ben")))
	withdrawn := todoBody(user)
	change(t, s, "", withdrawn)
	finish(t, s, withdrawn["todoId"].(string), "invalidate")
	wantCounts(t, s, user, allLists, none.with("read", 1))
}

func countOverdue(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	past, future := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	late := todoBody(user).with("dueAt", past)
	for _, body := range []object{
		late, todoBody(user).with("dueAt", future), todoBody(user), todoBody(user).with("dueAt", past, "type", "REVIEW"),
	} {
		change(t, s, "", body)
	}
	wantCounts(t, s, user, "", object{"toHandle": 3, "toRead": 1, "overdue": 1, "unread": 0})
	finish(t, s, late["todoId"].(string), "clear")
	wantCounts(t, s, user, "", object{"toHandle": 2, "toRead": 1, "overdue": 0, "unread": 0})
}

func countRefused(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	for _, lists := range []string{"x", "tohandle", "toHandle,", ",toHandle", "toHandle, toRead", "toHandle;toRead", "status", "*"} {
		if msg := counting(t, s, user, nil, "lists", lists).Fails(t, http.StatusBadRequest); !strings.Contains(msg, "toHandle") {
			t.Errorf("the message does not name the lists: %s", msg)
		}
	}
	for _, more := range [][]string{{"lists", "done", "lists", "done"}, {"lists", "", "lists", "done"}, {"username", user}} {
		counting(t, s, user, nil, more...).Fails(t, http.StatusBadRequest)
	}
}

func countUser(t *testing.T, s *contract.Session) {
	for _, lists := range []string{"", "&lists=unread", "&lists=done"} {
		for _, user := range []string{"?", "?username=", "?username=+", "?username=a%00", "?username=" + strings.Repeat("a", 129)} {
			msg := s.Call(t, http.MethodGet, "/counts"+user+lists, nil, nil).Fails(t, http.StatusBadRequest)
			if !strings.HasPrefix(msg, "username must ") {
				t.Errorf("the message is %q", msg)
			}
		}
	}
}

// wantNotModified demands an answer without a body.
func wantNotModified(t *testing.T, status int, header http.Header, body []byte, tag string) {
	t.Helper()
	if status != http.StatusNotModified || len(body) != 0 || header.Get("ETag") != tag || header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("the answer is %d %q with %v, want 304 with the tag %s", status, body, header, tag)
	}
	for _, name := range []string{"Content-Type", "Content-Length"} {
		if values := header[name]; values != nil {
			t.Errorf("%s is %q", name, values)
		}
	}
}

// wantTag demands an answer with a tag, which may be kept.
func wantTag(t *testing.T, header http.Header) string {
	t.Helper()
	tag := header.Get("ETag")
	if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' || header.Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("the tag is %q: %v", tag, header)
	}
	return tag
}

func countTag(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	change(t, s, "", todoBody(user))
	a := counting(t, s, user, nil)
	a.OK(t)
	tag := wantTag(t, a.Header)
	b := counting(t, s, user, http.Header{"If-None-Match": {tag}})
	wantNotModified(t, b.Status, b.Header, b.Body, tag)
}

func countTagChanges(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	tags := map[string]bool{}
	ask := func(header http.Header, more ...string) (tag string) {
		a := counting(t, s, user, header, more...)
		a.OK(t)
		tag = wantTag(t, a.Header)
		tags[tag] = true
		return tag
	}
	first := ask(nil)
	change(t, s, "", todoBody(user))
	second := ask(http.Header{"If-None-Match": {first}})
	pushTo(t, s, user)
	ask(http.Header{"If-None-Match": {second}})
	ask(http.Header{"If-None-Match": {second}}, "lists", "toHandle")
	want(t, "different tags", len(tags), 4)
	want(t, "the tag of the same counts", counting(t, s, contract.Fresh("ben"), nil).Header.Get("ETag"), first)
}

func countConditions(t *testing.T, s *contract.Session) {
	user := contract.Fresh("amy")
	tag := wantTag(t, counting(t, s, user, nil).Header)
	for _, lines := range [][]string{{"*"}, {"W/" + tag}, {`"x", ` + tag}, {`W/"x,y",` + tag + `, "z"`}, {`"x"`, tag}} {
		a := counting(t, s, user, http.Header{"If-None-Match": lines})
		wantNotModified(t, a.Status, a.Header, a.Body, tag)
	}
	for _, line := range []string{"", `"x"`, `"*"`, strings.Trim(tag, `"`), `"` + strings.Trim(tag, `"`), tag[:len(tag)-2] + `"`, `W/"x"`, `"x,` + tag} {
		counting(t, s, user, http.Header{"If-None-Match": {line}}).OK(t)
	}
}

func countFailure(t *testing.T, s *contract.Session) {
	for header, status := range map[string]int{"": http.StatusBadRequest, "Bearer x": http.StatusUnauthorized} {
		h := http.Header{"If-None-Match": {"*"}}
		if header != "" {
			h.Set("Authorization", header)
		}
		a := counting(t, s, contract.Fresh("amy"), h, "lists", "x")
		a.Fails(t, status)
		if tag := a.Header.Get("ETag"); tag != "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the tag is %q: %v", tag, a.Header)
		}
	}
}

// countsOnce asks for the counts of amy with the tag of the first answer, before and after a message.
func (st *stage) countsOnce(t *testing.T, ask func(http.Header) reply, header http.Header) {
	t.Helper()
	st.push(t, st.amy)
	first := ask(header)
	counts := decode[map[string]int](t, first.data(t))
	if counts["unread"] == 0 || len(counts) != 4 {
		t.Errorf("the counts are %v", counts)
	}
	tag := wantTag(t, first.header)
	r := ask(with(header, "If-None-Match", tag))
	wantNotModified(t, r.status, r.header, r.body, tag)
	st.push(t, st.amy)
	again := ask(with(header, "If-None-Match", tag))
	if now := decode[map[string]int](t, again.data(t)); now["unread"] != counts["unread"]+1 || wantTag(t, again.header) == tag {
		t.Errorf("after a message the counts are %v, before %v", now, counts)
	}
}
