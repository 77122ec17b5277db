package contract

import "testing"

func unreadCases() []testCase {
	return []testCase{
		stated("the count is the number of UNREAD records of the user", unreadCounts),
		stated("data is a plain integer", unreadInteger),
		stated("a user without records has 0", unreadNobody),
		settled("a missing or empty username is refused", unreadNoUser),
		settled("the count agrees with the inbox total", unreadAgrees),
	}
}

func unreadCounts(t *testing.T, s *suite) {
	user, bystander := fresh("user"), fresh("user")
	var bodies []fields
	for i := range 3 {
		body := newMessage(user, bystander)
		s.main.push(t, body)
		bodies = append(bodies, body)
		if got := s.main.unread(t, user); got != i+1 {
			t.Errorf("the count is %d after %d messages", got, i+1)
		}
	}
	for i, body := range bodies {
		s.main.markRead(t, body.messageID(), user)
		if got := s.main.unread(t, user); got != 2-i {
			t.Errorf("the count is %d after %d of 3 were read", got, i+1)
		}
	}
	if got := s.main.unread(t, bystander); got != 3 {
		t.Errorf("the count of another user is %d, want 3", got)
	}
}

func unreadInteger(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	if data := s.main.get(t, unreadPath+"?"+pairs([]string{"username", body.target()})).ok(t); string(data) != "1" {
		t.Errorf("data is %s, want 1", data)
	}
}

func unreadNobody(t *testing.T, s *suite) {
	if got := s.main.unread(t, fresh("nobody")); got != 0 {
		t.Errorf("the count is %d", got)
	}
}

func unreadNoUser(t *testing.T, s *suite) {
	for _, query := range []string{"", "?", "?username=", "?username", "?username=%20", "?user=x"} {
		s.main.get(t, unreadPath+query).failsNaming(t, "username")
	}
}

func unreadAgrees(t *testing.T, s *suite) {
	user := fresh("user")
	shared := newMessage(user)
	s.main.push(t, shared)
	s.other.push(t, shared)
	s.main.push(t, newMessage(user))
	s.main.push(t, shared)
	for range 2 {
		_, page := s.main.get(t, inboxPath+"?"+pairs([]string{"username", user, "status", "UNREAD", "size", "1"})).messages(t)
		if got := s.main.unread(t, user); int64(got) != page.TotalCount {
			t.Errorf("the count is %d, the inbox total %d", got, page.TotalCount)
		}
		s.main.markRead(t, shared.messageID(), user)
	}
}
