package contract

import (
	"net/http"
	"testing"
	"time"
)

func timeCases() []testCase {
	return []testCase{
		stated("createTime and modifyTime are the server time with a blank in between", timesAudit),
		stated("business times are ISO-8601 instants", timesBusiness),
		settled("createTime and modifyTime are in the configured zone and instants in UTC", timesZone),
		settled("instants of any offset are taken and answered in UTC", timesOffsets),
		settled("instants are cut to microseconds", timesMicros),
		settled("the years 1 and 9999 are taken and those around are refused", timesYears),
		settled("what is not RFC 3339 is refused", timesRefused),
	}
}

// auditNow demands that an audit time is the server's present time in its zone.
func (s *suite) auditNow(t *testing.T, name, text string) {
	t.Helper()
	at, err := parseAudit(text, s.set.TimeZone)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if off := time.Since(at); off < -clockSlack || off > clockSlack {
		t.Errorf("%s is %s in %s, %s off", name, text, s.set.TimeZone, off)
	}
}

func timesAudit(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	s.auditNow(t, "createTime", item.CreateTime)
	s.auditNow(t, "modifyTime", item.ModifyTime)
	if item.CreateTime != item.ModifyTime {
		t.Errorf("a new item was created at %s and modified at %s", item.CreateTime, item.ModifyTime)
	}
	body := newMessage()
	s.main.push(t, body)
	m := s.main.record(t, body.target())
	s.auditNow(t, "createTime", m.CreateTime)
	s.auditNow(t, "modifyTime", m.ModifyTime)
	s.main.markRead(t, body.messageID(), body.target())
	read := s.main.record(t, body.target())
	s.auditNow(t, "modifyTime", read.ModifyTime)
	if read.CreateTime != m.CreateTime {
		t.Errorf("createTime went from %s to %s", m.CreateTime, read.CreateTime)
	}
}

func timesBusiness(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo().with("dueAt", "2030-05-06T07:08:09Z"))
	sameInstant(t, "dueAt", *item.DueAt, "2030-05-06T07:08:09Z")
	item = s.main.clear(t, item.ID, fields{"result": "done"})
	aboutNow(t, "clearedAt", *item.ClearedAt)
}

// sameInstant compares two spellings.
func sameInstant(t *testing.T, name, got, want string) {
	t.Helper()
	if _, err := parseInstant(got); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if *canonical(t, &got) != *canonical(t, &want) {
		t.Errorf("%s is %s, want %s", name, got, want)
	}
}

func timesZone(t *testing.T, s *suite) {
	body := newMessage().without("occurredAt")
	s.main.push(t, body)
	m := s.main.record(t, body.target())
	s.auditNow(t, "createTime", m.CreateTime)
	aboutNow(t, "occurredAt", m.OccurredAt)
	item := s.main.clear(t, s.main.upsert(t, newTodo()).ID, fields{"result": "done"})
	s.auditNow(t, "modifyTime", item.ModifyTime)
	aboutNow(t, "clearedAt", *item.ClearedAt)
}

// instantStores store an instant in each of the fields that take one, and give it back.
func instantStores(t *testing.T, s *suite) map[string]func(value any) (answer, func() string) {
	t.Helper()
	return map[string]func(value any) (answer, func() string){
		"dueAt": func(value any) (answer, func() string) {
			a := s.main.post(t, todosPath, newTodo().with("dueAt", value))
			return a, func() string { return *a.todo(t).DueAt }
		},
		"clearedAt": func(value any) (answer, func() string) {
			item := s.main.upsert(t, newTodo())
			a := s.main.post(t, todoPath(item.ID, "clear"), fields{"result": "done", "clearedAt": value})
			return a, func() string { return *a.todo(t).ClearedAt }
		},
		"occurredAt": func(value any) (answer, func() string) {
			body := newMessage().with("occurredAt", value)
			a := s.main.post(t, messagesPath, body)
			return a, func() string { a.okNull(t); return s.main.record(t, body.target()).OccurredAt }
		},
	}
}

func timesOffsets(t *testing.T, s *suite) {
	for sent, want := range map[string]string{
		"2030-01-01T00:00:00Z":             "2030-01-01T00:00:00Z",
		"2030-01-01T00:00:00+00:00":        "2030-01-01T00:00:00Z",
		"2030-01-01T00:00:00-00:00":        "2030-01-01T00:00:00Z",
		"2030-01-01T00:00:00+08:00":        "2029-12-31T16:00:00Z",
		"2030-01-01T00:00:00.5-09:30":      "2030-01-01T09:30:00.5Z",
		"2030-06-01T12:00:00.000001+05:45": "2030-06-01T06:15:00.000001Z",
		"2028-02-29T23:59:59+14:00":        "2028-02-29T09:59:59Z",
		"1969-12-31T23:59:59.999999Z":      "1969-12-31T23:59:59.999999Z",
	} {
		for name, store := range instantStores(t, s) {
			_, got := store(sent)
			sameInstant(t, name, got(), want)
		}
	}
}

func timesMicros(t *testing.T, s *suite) {
	for sent, want := range map[string]string{
		"2030-01-01T00:00:00.1234567Z":        "2030-01-01T00:00:00.123456Z",
		"2030-01-01T00:00:00.999999999Z":      "2030-01-01T00:00:00.999999Z",
		"2030-01-01T00:00:00.0000009Z":        "2030-01-01T00:00:00Z",
		"1960-01-01T00:00:00.999999999Z":      "1960-01-01T00:00:00.999999Z",
		"2030-01-01T00:00:00.123456789+01:00": "2029-12-31T23:00:00.123456Z",
	} {
		for name, store := range instantStores(t, s) {
			_, got := store(sent)
			sameInstant(t, name, got(), want)
		}
	}
}

func timesYears(t *testing.T, s *suite) {
	for _, sent := range []string{"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "0001-01-01T05:00:00+05:00", "9999-12-31T18:59:59-05:00"} {
		for name, store := range instantStores(t, s) {
			_, got := store(sent)
			sameInstant(t, name, got(), sent)
		}
	}
	for _, sent := range []string{
		"0000-01-01T00:00:00Z", "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
		"10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "+2030-01-01T00:00:00Z", "99999-01-01T00:00:00Z",
	} {
		refusedInstant(t, s, sent)
	}
}

func timesRefused(t *testing.T, s *suite) {
	for _, sent := range []any{
		"tomorrow", "2030-01-01", "2030-01-01 00:00:00", "2030-01-01T00:00:00", "2030-01-01T00:00Z", "2030-01-01T24:00:00Z",
		"2030-13-01T00:00:00Z", "2030-02-30T00:00:00Z", "2029-02-29T00:00:00Z", "2030-01-01T00:60:00Z", "2030-01-01T1:00:00Z",
		"2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00+0800", "2030-01-01T00:00:00+25:00", "2030-01-01T00:00:00+08:60",
		"2030-01-01T00:00:00.Z", "2030-1-1T00:00:00Z", "30-01-01T00:00:00Z", "20300101T000000Z", "2030-W01-1T00:00:00Z",
		" 2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z ", "1893456000", "Tue, 01 Jan 2030 00:00:00 GMT", "2030-01-01T00:00:00Z\x00",
		1893456000, 1.5, true,
		[]string{"2030-01-01T00:00:00Z"},
		fields{"seconds": 5},
	} {
		refusedInstant(t, s, sent)
	}
}

// refusedInstant demands that no field takes the value.
func refusedInstant(t *testing.T, s *suite, value any) {
	t.Helper()
	for name, store := range instantStores(t, s) {
		a, _ := store(value)
		if a.status != s.failureStatus(http.StatusBadRequest) {
			t.Errorf("%s took %v: %s", name, value, a)
			continue
		}
		a.failsNaming(t, name)
	}
}
