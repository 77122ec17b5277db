package contract

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func inboxCases() []testCase {
	return []testCase{
		stated("the inbox of a user holds the records of that user only", inboxOfUser),
		stated("without a status READ and UNREAD are listed", inboxAnyStatus),
		stated("status, sourceAppId and sourceMessageId filter together", inboxFilters),
		stated("the default sort is occurredAt descending", inboxDefaultSort),
		stated("without a username the records of all users are listed", inboxEveryone),
		settled("a present and empty username is refused", inboxEmptyUser),
		settled("an unknown status is refused and the allowed are named", inboxEnums),
		settled("empty filters mean no filter", inboxEmptyFilters),
		settled("every client reads every inbox", inboxAnyClient),
	}
}

func inboxOfUser(t *testing.T, s *suite) {
	ann, bob := fresh("ann"), fresh("bob")
	first, second := newMessage(ann, bob), newMessage(bob)
	s.main.push(t, first)
	s.main.push(t, second)
	if got := messageIDs(s.main.inbox(t, "username", ann)); !slices.Equal(got, []string{first.messageID()}) {
		t.Errorf("the inbox of ann is %q", got)
	}
	if got := s.main.inbox(t, "username", bob); len(got) != 2 {
		t.Errorf("the inbox of bob has %d records, want 2", len(got))
	}
}

func inboxAnyStatus(t *testing.T, s *suite) {
	user := fresh("user")
	read, unread := newMessage(user), newMessage(user)
	s.main.push(t, read)
	s.main.push(t, unread)
	s.main.markRead(t, read.messageID(), user)
	if got := s.main.inbox(t, "username", user); len(got) != 2 {
		t.Errorf("%d records without a status, want 2", len(got))
	}
	for status, body := range map[string]fields{"READ": read, "UNREAD": unread} {
		got := s.main.inbox(t, "username", user, "status", status)
		if !slices.Equal(messageIDs(got), []string{body.messageID()}) || got[0].Status != status {
			t.Errorf("%s: the inbox is %+v", status, got)
		}
	}
}

func inboxFilters(t *testing.T, s *suite) {
	user := fresh("user")
	shared, single := newMessage(user), newMessage(user)
	s.main.push(t, shared)
	s.other.push(t, shared)
	s.main.push(t, single)
	s.main.markRead(t, single.messageID(), user)
	for _, step := range []struct {
		query []string
		want  int
	}{
		{nil, 3},
		{[]string{"sourceAppId", s.main.cred.ID}, 2},
		{[]string{"sourceAppId", s.other.cred.ID}, 1},
		{[]string{"sourceAppId", fresh("nobody")}, 0},
		{[]string{"sourceMessageId", shared.messageID()}, 2},
		{[]string{"sourceMessageId", fresh("nothing")}, 0},
		{[]string{"sourceMessageId", shared.messageID(), "sourceAppId", s.other.cred.ID}, 1},
		{[]string{"sourceMessageId", single.messageID(), "sourceAppId", s.other.cred.ID}, 0},
		{[]string{"status", "READ", "sourceAppId", s.main.cred.ID}, 1},
		{[]string{"status", "READ", "sourceMessageId", shared.messageID()}, 0},
		{[]string{"status", "UNREAD", "sourceMessageId", shared.messageID(), "sourceAppId", s.main.cred.ID}, 1},
	} {
		query := append([]string{"username", user}, step.query...)
		records, page := s.main.get(t, inboxPath+"?"+pairs(query)).messages(t)
		if len(records) != step.want || page.TotalCount != int64(step.want) {
			t.Errorf("%q: %d records and totalCount %d, want %d", step.query, len(records), page.TotalCount, step.want)
		}
	}
}

func inboxDefaultSort(t *testing.T, s *suite) {
	user := fresh("user")
	want := map[string]string{}
	for _, at := range []string{"2030-02-01T00:00:00Z", "2030-03-01T00:00:00Z", "2030-01-01T00:00:00Z"} {
		body := newMessage(user).with("occurredAt", at)
		s.main.push(t, body)
		want[at] = body.messageID()
	}
	order := []string{want["2030-03-01T00:00:00Z"], want["2030-02-01T00:00:00Z"], want["2030-01-01T00:00:00Z"]}
	for _, query := range [][]string{nil, {"sort", ""}, {"sort", "occurredAt,desc"}} {
		got := messageIDs(s.main.inbox(t, append([]string{"username", user}, query...)...))
		if diff := cmp.Diff(order, got); diff != "" {
			t.Errorf("%q: the order differs (-want +got):\n%s", query, diff)
		}
	}
}

func inboxEveryone(t *testing.T, s *suite) {
	users := []string{fresh("ann"), fresh("bob"), fresh("cem")}
	body := newMessage(users...)
	s.main.push(t, body)
	var got []string
	for _, m := range s.main.inbox(t, "sourceMessageId", body.messageID()) {
		got = append(got, m.Username)
	}
	slices.Sort(got)
	slices.Sort(users)
	if diff := cmp.Diff(users, got); diff != "" {
		t.Errorf("the users differ (-want +got):\n%s", diff)
	}
}

func inboxEmptyUser(t *testing.T, s *suite) {
	for _, query := range []string{"username=", "username", "username=%20"} {
		s.main.get(t, inboxPath+"?"+query).failsNaming(t, "username")
	}
}

func inboxEnums(t *testing.T, s *suite) {
	for _, value := range []string{"read", "OPEN", "0", "1", "2", "MESSAGE_STATUS_READ", "READ,UNREAD", " READ"} {
		a := s.main.get(t, inboxPath+"?"+pairs([]string{"username", fresh("user"), "status", value}))
		msg := a.fails(t, http.StatusBadRequest)
		for _, word := range []string{"status", "UNREAD", "READ"} {
			if !names(msg, word) {
				t.Errorf("the message does not name %s: %s", word, a)
			}
		}
	}
}

func inboxEmptyFilters(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	got := s.main.inbox(t, "username", body.target(), "status", "", "sourceAppId", "", "sourceMessageId", "", "page", "", "size", "", "sort", "")
	if !slices.Equal(messageIDs(got), []string{body.messageID()}) {
		t.Errorf("the inbox is %q", messageIDs(got))
	}
}

func inboxAnyClient(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	sameMessage(t, s.other.record(t, body.target()), wantMessage(body, s.main.cred.ID, body.target()))
}
