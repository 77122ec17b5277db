package contract

import (
	"cmp"
	"net/http"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func sortCases() []testCase {
	return []testCase{
		settled("todos sort by each allowed field in both directions", sortTodos),
		settled("todos without a due time come last in both directions", sortTodosNulls),
		settled("todos sort by clearedAt", sortTodosCleared),
		settled("todos sort by modifyTime and createTime", sortTodosTimes),
		settled("the inbox sorts by each allowed field in both directions", sortInbox),
		settled("records that are not read come last by readAt in both directions", sortInboxNulls),
		settled("the inbox sorts by modifyTime and createTime", sortInboxTimes),
		settled("the direction is optional and may have any case", sortDirection),
		settled("other sorts are refused and the allowed fields are named", sortRefused),
	}
}

// row is one record as the order sees it; tie breaks what the key leaves open.
type row struct {
	id   string
	key  string
	null bool
	tie  string
}

// inOrder sorts rows as the contract's lists do: by key, nulls last in both directions, ties broken
// in the direction of the sort.
func inOrder(rows []row, descending bool) []string {
	sorted := slices.SortedFunc(slices.Values(rows), func(a, b row) int {
		if a.null != b.null {
			if a.null {
				return 1
			}
			return -1
		}
		order := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.tie, b.tie))
		if descending {
			return -order
		}
		return order
	})
	ids := make([]string, 0, len(sorted))
	for _, r := range sorted {
		ids = append(ids, r.id)
	}
	return ids
}

// sortedTodos are five open items of one user with ties in every sortable field.
func sortedTodos(t *testing.T, s *suite) (user string, items []todoItem) {
	t.Helper()
	user = fresh("user")
	run := fresh("sort")
	for _, spec := range []struct {
		client              *caller
		id, title, category string
		due                 any
	}{
		{s.main, "3", "b", "x", "2030-01-01T00:00:00Z"},
		{s.main, "1", "a", "x", nil},
		{s.other, "5", "ä", "w", "2029-01-01T00:00:00Z"},
		{s.main, "2", "a", "Y", "2030-01-01T00:00:00.000001Z"},
		{s.other, "4", "Z", "x", nil},
		{s.main, "0", "b", "y", "2030-01-01T00:00:00Z"},
	} {
		body := newTodo().with("assigneeUsername", user).with("todoId", run+spec.id).with("title", spec.title).
			with("category", spec.category).with("dueAt", spec.due)
		items = append(items, spec.client.upsert(t, body))
	}
	return user, items
}

func sortTodos(t *testing.T, s *suite) {
	user, items := sortedTodos(t, s)
	for field, key := range map[string]func(todoItem) string{
		"title":        func(i todoItem) string { return i.Title },
		"category":     func(i todoItem) string { return i.Category },
		"sourceSystem": func(i todoItem) string { return i.SourceSystem },
		"id":           func(i todoItem) string { return i.ID },
	} {
		var rows []row
		for _, item := range items {
			rows = append(rows, row{id: item.ID, key: key(item), tie: item.ID})
		}
		checkTodoOrder(t, s, field, rows, "assigneeUsername", user)
	}
}

// checkTodoOrder lists in both directions.
func checkTodoOrder(t *testing.T, s *suite, field string, rows []row, query ...string) {
	t.Helper()
	for _, direction := range []string{"asc", "desc"} {
		got := todoIDs(s.main.todos(t, append(query, "sort", field+","+direction)...))
		if diff := gocmp.Diff(inOrder(rows, direction == "desc"), got); diff != "" {
			t.Errorf("%s,%s: the order differs (-want +got):\n%s", field, direction, diff)
		}
	}
}

func sortTodosNulls(t *testing.T, s *suite) {
	user, items := sortedTodos(t, s)
	var rows []row
	for _, item := range items {
		r := row{id: item.ID, null: item.DueAt == nil, tie: item.ID}
		if item.DueAt != nil {
			at, err := parseInstant(*item.DueAt)
			if err != nil {
				t.Fatal(err)
			}
			r.key = at.Format("2006-01-02T15:04:05.000000")
		}
		rows = append(rows, r)
	}
	checkTodoOrder(t, s, "dueAt", rows, "assigneeUsername", user)
}

func sortTodosCleared(t *testing.T, s *suite) {
	user, items := sortedTodos(t, s)
	// Items that were never cleared all have no clearedAt, so the id decides.
	var open []row
	for _, item := range items {
		open = append(open, row{id: item.ID, null: true, tie: item.ID})
	}
	checkTodoOrder(t, s, "clearedAt", open, "assigneeUsername", user)

	days := []string{"03", "01", "03", "02", "05", "04"}
	var rows []row
	for i, item := range items {
		client := s.main
		if item.CreatorID == s.other.cred.ID {
			client = s.other
		}
		client.clear(t, item.ID, fields{"result": "done", "clearedAt": "2030-01-" + days[i] + "T00:00:00Z"})
		rows = append(rows, row{id: item.ID, key: days[i], tie: item.ID})
	}
	checkTodoOrder(t, s, "clearedAt", rows, "assigneeUsername", user, "status", "CLEARED")
}

func sortTodosTimes(t *testing.T, s *suite) {
	user, items := sortedTodos(t, s)
	var created, modified []row
	for i, item := range items {
		created = append(created, row{id: item.ID, key: string(rune('a' + i))})
		modified = append(modified, row{id: item.ID, key: string(rune('a' + i))})
	}
	modified[0].key = "z"
	again := newTodo().with("assigneeUsername", user).with("todoId", items[0].ID)
	s.main.upsert(t, again)
	checkTodoOrder(t, s, "createTime", created, "assigneeUsername", user)
	checkTodoOrder(t, s, "modifyTime", modified, "assigneeUsername", user)
}

// sortedMessages are six records of one user, with ties in every sortable field, in the order of
// pushing; two of them are read. tie is the place in the order by id.
func sortedMessages(t *testing.T, s *suite) (user string, records []inboxMessage, tie map[string]string) {
	t.Helper()
	user = fresh("user")
	var bodies []fields
	for _, spec := range []struct {
		client       *caller
		category, at string
	}{
		{s.main, "b", "2030-01-02T00:00:00Z"},
		{s.main, "a", "2030-01-01T00:00:00Z"},
		{s.other, "B", "2030-01-02T00:00:00Z"},
		{s.main, "", "2030-01-03T00:00:00.000001Z"},
		{s.other, "a", "2030-01-02T00:00:00Z"},
		{s.main, "ä", "2030-01-03T00:00:00Z"},
	} {
		body := newMessage(user).with("category", spec.category).with("occurredAt", spec.at)
		spec.client.push(t, body)
		bodies = append(bodies, body)
	}
	s.main.markRead(t, bodies[4].messageID(), user)
	s.main.markRead(t, bodies[1].messageID(), user)

	byID := s.main.inbox(t, "username", user, "sort", "id,asc")
	tie = map[string]string{}
	for i, m := range byID {
		tie[m.ID] = string(rune('a' + i))
	}
	for _, body := range bodies {
		i := slices.IndexFunc(byID, func(m inboxMessage) bool { return m.SourceMessageID == body.messageID() })
		if i < 0 {
			t.Fatalf("the inbox lacks %q", body.messageID())
		}
		records = append(records, byID[i])
	}
	return user, records, tie
}

// checkInboxOrder lists in both directions.
func checkInboxOrder(t *testing.T, s *suite, field string, rows []row, user string) {
	t.Helper()
	for _, direction := range []string{"asc", "desc"} {
		var got []string
		for _, m := range s.main.inbox(t, "username", user, "sort", field+","+direction) {
			got = append(got, m.ID)
		}
		if diff := gocmp.Diff(inOrder(rows, direction == "desc"), got); diff != "" {
			t.Errorf("%s,%s: the order differs (-want +got):\n%s", field, direction, diff)
		}
	}
}

func sortInbox(t *testing.T, s *suite) {
	user, records, tie := sortedMessages(t, s)
	for field, key := range map[string]func(inboxMessage) string{
		"category":    func(m inboxMessage) string { return m.Category },
		"sourceAppId": func(m inboxMessage) string { return m.SourceAppID },
		"id":          func(m inboxMessage) string { return tie[m.ID] },
		"occurredAt": func(m inboxMessage) string {
			at, err := parseInstant(m.OccurredAt)
			if err != nil {
				t.Fatal(err)
			}
			return at.Format("2006-01-02T15:04:05.000000")
		},
	} {
		var rows []row
		for _, m := range records {
			rows = append(rows, row{id: m.ID, key: key(m), tie: tie[m.ID]})
		}
		checkInboxOrder(t, s, field, rows, user)
	}
}

func sortInboxNulls(t *testing.T, s *suite) {
	user, records, tie := sortedMessages(t, s)
	var rows []row
	for i, m := range records {
		// The fifth was read before the second.
		rows = append(rows, row{id: m.ID, null: m.ReadAt == nil, key: map[int]string{4: "a", 1: "b"}[i], tie: tie[m.ID]})
	}
	checkInboxOrder(t, s, "readAt", rows, user)
}

func sortInboxTimes(t *testing.T, s *suite) {
	user, records, _ := sortedMessages(t, s)
	var created, modified []row
	for i, m := range records {
		created = append(created, row{id: m.ID, key: string(rune('a' + i))})
		modified = append(modified, row{id: m.ID, key: string(rune('a' + i))})
	}
	modified[4].key, modified[1].key = "y", "z"
	checkInboxOrder(t, s, "createTime", created, user)
	checkInboxOrder(t, s, "modifyTime", modified, user)
}

func sortDirection(t *testing.T, s *suite) {
	user, items := sortedTodos(t, s)
	var rows []row
	for _, item := range items {
		rows = append(rows, row{id: item.ID, key: item.ID})
	}
	for sort, descending := range map[string]bool{
		"id": false, "id,asc": false, "id,ASC": false, "id,desc": true, "id,DESC": true, "id,Desc": true,
	} {
		got := todoIDs(s.main.todos(t, "assigneeUsername", user, "sort", sort))
		if diff := gocmp.Diff(inOrder(rows, descending), got); diff != "" {
			t.Errorf("%s: the order differs (-want +got):\n%s", sort, diff)
		}
	}
}

func sortRefused(t *testing.T, s *suite) {
	todoFields := []string{"modifyTime", "createTime", "dueAt", "clearedAt", "title", "category", "sourceSystem", "id"}
	inboxFields := []string{"occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id"}
	for _, sort := range []string{
		"summary", "content", "modifytime", "ModifyTime", "modify_time", "x;drop", "id;DROP TABLE todo", "id--", "1",
		"id,up", "id,asc,1", "modifyTime,desc,1", "id,asc,createTime,desc", "id asc", ",asc", ",", "-id", "id,asc;", "*",
	} {
		for path, allowed := range map[string][]string{
			todosPath + "?assigneeUsername=x&": todoFields,
			inboxPath + "?username=x&":         inboxFields,
		} {
			a := s.main.get(t, path+pairs([]string{"sort", sort}))
			msg := a.fails(t, http.StatusBadRequest)
			for _, field := range append(allowed, "sort") {
				if !names(msg, field) {
					t.Errorf("the message does not name %s: %s", field, a)
				}
			}
		}
	}
	s.main.get(t, todosPath+"?sort=id&sort=title").fails(t, http.StatusBadRequest)
	s.main.get(t, inboxPath+"?sort=id&sort=category").fails(t, http.StatusBadRequest)
}
