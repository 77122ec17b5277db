package allinone_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"

	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
)

// feed gives calls of a client who keeps the directory.
func (m *matrix) feed(t *testing.T) (context.Context, peoplev1.DirectoryServiceClient) {
	t.Helper()
	token := m.clients.token(object{"scope": "directory"}, nil)
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), peoplev1.NewDirectoryServiceClient(m.conn)
}

// hold makes people the members of the role auditors.
func (m *matrix) hold(t *testing.T, members ...string) {
	t.Helper()
	ctx, directory := m.feed(t)
	if _, err := directory.UpsertRole(ctx, &peoplev1.UpsertRoleRequest{RoleId: "auditors", Name: "Auditors", UserIds: members}); err != nil {
		t.Fatal(err)
	}
}

// staff are amy in sales, and ben and dan, who has left, in the department below.
func (m *matrix) staff(t *testing.T) {
	t.Helper()
	ctx, directory := m.feed(t)
	for dept, parent := range map[string]string{"sales": "", "sales-south": "sales"} {
		if _, err := directory.UpsertDepartment(ctx, &peoplev1.UpsertDepartmentRequest{DeptId: dept, ParentId: parent, Name: dept}); err != nil {
			t.Fatal(err)
		}
	}
	done, err := directory.UpsertUsers(ctx, &peoplev1.UpsertUsersRequest{Users: []*peoplev1.FeedUser{
		{UserId: "u-amy", Username: "amy", DeptId: "sales", Active: new(true)},
		{UserId: "u-ben", Username: "ben", DeptId: "sales-south", Active: new(true)},
		{UserId: "u-dan", Username: "dan", DeptId: "sales-south", Active: new(false)},
	}})
	if err != nil || done.GetStored() != 3 {
		t.Fatalf("%v, %v", done, err)
	}
}

func TestAdministratorsChooseByDepartmentsAndRoles(t *testing.T) {
	m := newMatrix(t, "HUB_USER_IDS=directory")
	m.staff(t)
	m.hold(t, "u-amy")
	client := bearer(m.clients.token(nil, nil))
	for _, user := range []string{"amy", "ben", "dan", "eve"} {
		for path, body := range map[string]string{
			"/todo-hub/todos": `{"todoId":"t-` + user + `","type":"HANDLE","sourceBizId":"1","assigneeUsername":"` + user +
				`","title":"t","category":"c","actionUrl":"/x"}`,
			"/message-hub/messages": `{"sourceMessageId":"n-` + user + `","targetUsernames":["` + user + `"],"title":"t","content":"c"}`,
		} {
			if code, text := m.send(t, route{method: http.MethodPost, path: path, body: body}, client); code != http.StatusOK {
				t.Fatal(code, text)
			}
		}
	}
	admin := bearer(m.users.token(person, administrator))
	for query, want := range map[string]string{
		"":                                   "amy ben dan eve",
		"deptId=sales":                       "amy ben dan",
		"deptId=sales-south":                 "ben dan",
		"roleId=auditors":                    "amy",
		"deptId=sales-south&roleId=auditors": "",
		"deptId=sales&roleId=auditors":       "amy",
		"deptId=sales&userId=u-ben":          "ben",
		"deptId=sales-south&userId=u-amy":    "",
		"userId=u-dan":                       "dan",
		"userId=amy":                         "", // which is no id
		"deptId=nowhere":                     "",
		"roleId=nobody":                      "",
	} {
		for path, id := range map[string]string{"/admin/todo-hub/todos": `"id":"t-([a-z]+)"`, "/admin/message-hub/inbox": `"sourceMessageId":"n-([a-z]+)"`} {
			code, text := m.send(t, route{method: http.MethodGet, path: path + "?" + query}, admin)
			var found []string
			for _, match := range regexp.MustCompile(id).FindAllStringSubmatch(text, -1) {
				found = append(found, match[1])
			}
			slices.Sort(found)
			if got := strings.Join(found, " "); code != http.StatusOK || got != want {
				t.Errorf("%s?%s: %d, found %q, want %q", path, query, code, got, want)
			}
		}
	}
}

func TestAPermissionThatIsTakenAwayCountsAtOnce(t *testing.T) {
	m := newMatrix(t, "HUB_ROLE_PERMISSIONS=role:auditors=todos,claim:hub-admin=*")
	m.staff(t)
	session := own("hub-session=" + m.logIn(t)["hub-session"])
	list := route{method: http.MethodGet, path: "/admin/todo-hub/todos"}
	for _, tt := range []struct {
		members []string
		want    int
	}{{nil, http.StatusForbidden}, {[]string{"u-amy"}, http.StatusOK}, {nil, http.StatusForbidden}} {
		m.hold(t, tt.members...)
		if code, text := m.send(t, list, session); code != tt.want {
			t.Errorf("with the members %q: %d %s, want %d", tt.members, code, text, tt.want)
		}
	}
}
