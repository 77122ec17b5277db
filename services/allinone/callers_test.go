package allinone_test

import (
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// callers are the columns of the table of docs/admin.md, as what their tokens have beyond a client's.
var callers = map[string]object{
	"client":                            {},
	"client with the scope `directory`": {"scope": "directory"},
	"user":                              person,
	"with `apps`":                       allowed("apps"),
	"with `content`":                    allowed("content"),
	"with `directory`":                  allowed("directory"),
	"with `messages`":                   allowed("messages"),
	"with `todos`":                      allowed("todos"),
}

// allowed is a user with a role that gives her one permission.
func allowed(permission string) object {
	return person.With(object{"roles": []string{"of-" + permission}})
}

// rolePermissions give each role its permission.
const rolePermissions = "HUB_ROLE_PERMISSIONS=claim:of-apps=apps,claim:of-content=content,claim:of-directory=directory,claim:of-messages=messages,claim:of-todos=todos,claim:hub-admin=*"

// TestWhoMayDoWhat makes every call of the table in docs/admin.md as everybody in it, and as nobody. Users come
// with a token and with a session.
func TestWhoMayDoWhat(t *testing.T) {
	m := newMatrix(t, rolePermissions)
	headers := map[string][]http.Header{}
	for caller, claims := range callers {
		if claims["preferred_username"] == nil {
			headers[caller] = []http.Header{bearer(m.clients.token(claims, nil))}
			continue
		}
		m.users.who = claims
		session := own("hub-session=" + m.logIn(t)["hub-session"])
		headers[caller] = []http.Header{bearer(m.users.token(claims, nil)), session}
	}
	table := permitted(t)
	for _, r := range m.routes(t) {
		row, documented := table[r.method+" "+r.template]
		if !documented {
			if forAdministrators.MatchString(r.template) {
				t.Errorf("docs/admin.md has no row for %s %s", r.method, r.template)
			}
			continue
		}
		delete(table, r.method+" "+r.template)
		if code, text := m.send(t, r, nil); code != http.StatusUnauthorized {
			t.Errorf("%s %s as nobody: %d %s", r.method, r.path, code, text)
		}
		for caller, all := range headers {
			for _, header := range all {
				code, text := m.send(t, r, header)
				admitted := code/100 == 2 || code == http.StatusConflict
				if admitted != (row[caller] == "yes") || !admitted && code != http.StatusForbidden {
					t.Errorf("%s %s as %s: %d %s, want %s", r.method, r.path, caller, code, text, row[caller])
				}
			}
		}
	}
	for call := range table {
		t.Errorf("docs/admin.md has a row for %s, which there is not", call)
	}
}

// forAdministrators are the paths that the table must have.
var forAdministrators = regexp.MustCompile(`^/(portal/)?(admin|directory)/`)

// permitted reads the table of docs/admin.md: what it says of each caller, by the call.
func permitted(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/admin.md")
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	table := map[string]map[string]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case cells[0] == "Call":
			columns = cells
		case columns != nil && len(cells) == len(columns) && strings.HasPrefix(cells[0], "`"):
			row := map[string]string{}
			for i, column := range columns[1:] {
				row[column] = cells[i+1]
			}
			table[strings.Trim(cells[0], "`")] = row
		case columns != nil && len(cells) < 2 && len(table) > 0:
			if want := slices.Sorted(maps.Keys(callers)); !slices.Equal(slices.Sorted(slices.Values(columns[1:])), want) {
				t.Errorf("the columns of docs/admin.md are %q, want %q", columns[1:], want)
			}
			return table
		}
	}
	t.Fatal("docs/admin.md has no table of calls")
	return nil
}
