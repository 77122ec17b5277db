package rest_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
)

func TestDirectoryUsers(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &peoplev1.UpsertUsersResponse{Stored: 1, Failed: 3, Results: []*peoplev1.UpsertUserResult{
		{UserId: "1"}, {UserId: "2", Error: `not "so"`}, {Error: "user id must not be empty"}, {Error: "user id must not be empty"},
	}}
	w := f.send(t, http.MethodPost, "/directory/users", `{"users":[
		{"userId":"1","username":"amy","name":"Amy","email":"a@x","deptId":"d","active":false,"more":1},
		{"userId":"2","username":"ben","name":null},{"userId":"3","username":7},null]}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"stored":1,"failed":3,"results":[
		{"userId":"1","code":"0","msg":"ok"},{"userId":"2","code":"-1","msg":"not \"so\""},
		{"userId":"3","code":"-1","msg":"username must be a string"},{"userId":"","code":"-1","msg":"the item must be a JSON object"}]}}`)
	f.wantCall(t, &peoplev1.UpsertUsersRequest{Users: []*peoplev1.FeedUser{
		{UserId: "1", Username: "amy", Name: "Amy", Email: "a@x", DeptId: "d", Active: new(bool)},
		{UserId: "2", Username: "ben"},
		{},
		{},
	}})
	for body, want := range map[string]string{
		`{"users":{}}`: "users must be an array",
		`{"users":[`:   "the request body is not valid JSON at byte 10",
	} {
		wantMessage(t, f.send(t, http.MethodPost, "/directory/users", body), http.StatusBadRequest, want)
	}
}

func TestDirectoryDepartmentsAndRoles(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &peoplev1.UpsertDepartmentResponse{Department: &peoplev1.Department{
		DeptId: "d", ParentId: "p", Name: "N", CreateTime: at(2030, 1, 2, 3, 4, 5, 0), ModifyTime: at(2030, 1, 2, 3, 4, 6, 0),
		CreatorId: "hr", ModifierId: "erp",
	}}
	w := f.send(t, http.MethodPost, "/directory/departments", `{"deptId":"d","parentId":"p","name":"N"}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"deptId":"d","parentId":"p","name":"N","createTime":"2030-01-02 03:04:05",
		"modifyTime":"2030-01-02 03:04:06","creator":"hr","creatorId":"hr","modifier":"erp","modifierId":"erp","delete":false}}`)
	f.wantCall(t, &peoplev1.UpsertDepartmentRequest{DeptId: "d", ParentId: "p", Name: "N"})

	f.hub.reply = &peoplev1.UpsertRoleResponse{Members: 2, Unknown: 1}
	w = f.send(t, http.MethodPost, "/directory/roles", `{"roleId":"r","name":"N","userIds":["1","2"]}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"members":2,"unknown":1}}`)
	f.wantCall(t, &peoplev1.UpsertRoleRequest{RoleId: "r", Name: "N", UserIds: []string{"1", "2"}})
	wantMessage(t, f.send(t, http.MethodPost, "/directory/roles", `{"userIds":["1",2]}`), http.StatusBadRequest, "userIds[1] must be a string")
}

func TestDirectoryReconcile(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &peoplev1.ReconcileUsersResponse{Closed: 2, ClosedIds: []string{"b", "<c>"}, Missing: 3}
	w := f.send(t, http.MethodPost, "/directory/users/reconcile",
		`{"asOf":"2030-05-06T05:08:09Z","from":"a","to":"z","open":["d","e"],"maxClose":7,"dryRun":true}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"closed":2,"closedIds":["b","<c>"],"missing":3}}`)
	f.wantCall(t, &peoplev1.ReconcileUsersRequest{
		AsOf: at(2030, 5, 6, 5, 8, 9, 0), From: "a", To: proto.String("z"), Open: []string{"d", "e"}, MaxClose: proto.Int64(7), DryRun: true,
	})
}

func TestDirectoryList(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &peoplev1.ListUsersResponse{Size: 7, NextPageToken: "c1.x", Users: []*peoplev1.User{
		{
			Username: "amy", UserId: "1", Name: "Amy", Email: "a@x", DeptId: "d", Active: true, Origin: 1,
			CreateTime: at(2030, 1, 2, 3, 4, 5, 0), ModifyTime: at(2030, 1, 2, 3, 4, 5, 0), CreatorId: "hr", ModifierId: "hr",
		},
		{
			Username: "ben", Origin: 2, CreateTime: at(2030, 1, 2, 3, 4, 5, 0), ModifyTime: at(2030, 1, 2, 3, 4, 5, 0),
			CreatorId: "user:ben", ModifierId: "user:ben",
		},
	}}
	w := f.send(t, http.MethodGet, "/directory/users?cursor=c1.y&size=7&deptId=d&roleId=r&q=a", "")
	wantJSON(t, w, `{"code":"0","msg":"ok","page":{"size":7,"nextCursor":"c1.x"},"count":2,"data":[
		{"username":"amy","userId":"1","name":"Amy","email":"a@x","deptId":"d","active":true,"origin":"feed","createTime":"2030-01-02 03:04:05",
		"modifyTime":"2030-01-02 03:04:05","creator":"hr","creatorId":"hr","modifier":"hr","modifierId":"hr","delete":false},
		{"username":"ben","userId":"","name":"","email":"","deptId":"","active":false,"origin":"login","createTime":"2030-01-02 03:04:05",
		"modifyTime":"2030-01-02 03:04:05","creator":"user:ben","creatorId":"user:ben","modifier":"user:ben","modifierId":"user:ben","delete":false}]}`)
	f.wantCall(t, &peoplev1.ListUsersRequest{
		PageToken: "c1.y", Size: proto.Int64(7), DeptId: proto.String("d"), RoleId: proto.String("r"), Q: proto.String("a"),
	})
	f.hub.reply = &peoplev1.ListUsersResponse{Size: 20}
	wantJSON(t, f.send(t, http.MethodGet, "/directory/users", ""), `{"code":"0","msg":"ok","page":{"size":20,"nextCursor":null},"count":0,"data":[]}`)
	f.wantCall(t, &peoplev1.ListUsersRequest{})
	for query, want := range map[string]string{
		"cursor=&page=1":  "page must not stand beside a cursor",
		"q=a&q=b":         "q must not be repeated",
		"deptId=&deptId=": "deptId must not be repeated",
	} {
		wantMessage(t, f.send(t, http.MethodGet, "/directory/users?"+query, ""), http.StatusBadRequest, want)
	}
}
