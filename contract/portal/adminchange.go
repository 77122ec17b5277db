package portal

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"example.com/hub/contract"
)

func adminClear(t *testing.T, st *stage) {
	id := upsert(t, st.Session, contract.Fresh("user"), contract.Fresh("todo"))
	data := st.asAdmin(t, http.MethodPost, adminTodosPath+"/"+id+"/clear", `{"result":"done","reason":"gone","clearedBy":"somebody","clearedAt":"2020-01-01T00:00:00Z"}`).data(t)
	item := decode[map[string]any](t, data)
	if item["status"] != "CLEARED" || item["result"] != "done" || item["reason"] != "gone" || item["clearedBy"] != st.carla || item["modifier"] != st.carla ||
		item["modifierId"] != "user:"+st.carla || item["clearedAt"] == "2020-01-01T00:00:00Z" || item["clearedAt"] == nil {
		t.Errorf("cleared: %s", data)
	}
}

func adminClearAgain(t *testing.T, st *stage) {
	user := contract.Fresh("user")
	clearing := func(id, body string) reply {
		return st.asAdmin(t, http.MethodPost, adminTodosPath+"/"+id+"/clear", body)
	}
	id := upsert(t, st.Session, user, contract.Fresh("todo"))
	first := clearing(id, `{"result":"done"}`).data(t)
	want(t, "again", string(clearing(id, `{"result":"other"}`).data(t)), string(first))
	invalid := upsert(t, st.Session, user, contract.Fresh("todo"))
	st.Call(t, http.MethodPost, todosPath+"/"+invalid+"/invalidate", nil, nil).OK(t)
	clearing(invalid, `{"result":"done"}`).fails(t, http.StatusConflict)
	clearing(contract.Fresh("todo"), `{"result":"done"}`).fails(t, http.StatusNotFound)
	for _, body := range []string{`{}`, `{"result":""}`, `{"result":1}`, `[]`, ``} {
		clearing(id, body).fails(t, http.StatusBadRequest)
	}
}

func adminRead(t *testing.T, st *stage) {
	message := st.push(t, st.ben)
	stream := st.visitor().listen(t, st.bearer(t, st.ben))
	before := st.unread(t, st.ben)
	r := st.asAdmin(t, http.MethodPost, adminMessagesPath+"/"+message+"/read?username="+url.QueryEscape(st.ben), "")
	want(t, "data", string(r.data(t)), "null")
	want(t, "switched", r.header.Get("Hub-Switched"), "1")
	stream.wants(t, "read")
	if after := st.unread(t, st.ben); after == before {
		t.Errorf("still %s unread", after)
	}
	found := st.adminPage(t, adminInboxPath, "userId", st.ben, "status", "READ", "size", "100").messageIDs()
	if !slices.Contains(found, message) {
		t.Errorf("not among what is read: %v", found)
	}
}

func adminReadNames(t *testing.T, st *stage) {
	user := contract.Fresh("user")
	for _, tt := range []struct{ query, switched string }{
		{"?userId=" + user, "1"},
		{"?username=" + user, "1"},
		{"?username=" + user + "&userId=" + contract.Fresh("user"), "1"},
		{"?username=" + contract.Fresh("nobody"), "0"},
	} {
		message := pushTo(t, st.Session, user)
		r := st.asAdmin(t, http.MethodPost, adminMessagesPath+"/"+message+"/read"+tt.query, "")
		r.data(t)
		want(t, tt.query, r.header.Get("Hub-Switched"), tt.switched)
	}
	for _, query := range []string{"", "?userId=", "?username=", "?username=&userId=" + user, "?username=" + user + "&username=" + user} {
		st.asAdmin(t, http.MethodPost, adminMessagesPath+"/x/read"+query, "").fails(t, http.StatusBadRequest)
	}
}

func adminPortal(t *testing.T, st *stage) {
	user := contract.Fresh("user")
	todo, message := upsert(t, st.Session, user, contract.Fresh("todo")), pushTo(t, st.Session, user)
	for one, other := range map[string]string{adminTodosPath: "/portal/admin/todos", adminInboxPath: "/portal/admin/messages"} {
		want(t, other, string(st.asAdmin(t, http.MethodGet, other+"?userId="+user, "").data(t)),
			string(st.asAdmin(t, http.MethodGet, one+"?userId="+user, "").data(t)))
	}
	cleared := st.asAdmin(t, http.MethodPost, "/portal/admin/todos/"+todo+"/clear", `{"result":"done"}`).data(t)
	want(t, "status", decode[entry](t, cleared).Status, "CLEARED")
	read := st.asAdmin(t, http.MethodPost, "/portal/admin/messages/"+message+"/read?username="+user, "")
	want(t, "switched", read.header.Get("Hub-Switched"), "1")
}

func adminSession(t *testing.T, st *stage) {
	carla := st.visitor()
	carla.logIn(t, st.carla, "")
	id := upsert(t, st.Session, contract.Fresh("user"), contract.Fresh("todo"))
	carla.get(t, adminTodosPath).data(t)
	carla.get(t, "/portal/admin/messages").data(t)
	header := with(ownPage, "Content-Type", "application/json")
	carla.send(t, http.MethodPost, adminTodosPath+"/"+id+"/clear", header, `{"result":"done"}`).data(t)
	carla.send(t, http.MethodPost, adminTodosPath+"/"+id+"/clear", with(header, "Sec-Fetch-Site", "cross-site"), `{"result":"done"}`).fails(t, http.StatusForbidden)
}

func adminOthers(t *testing.T, st *stage) {
	id := upsert(t, st.Session, st.amy, contract.Fresh("todo"))
	for _, call := range [][3]string{
		{http.MethodGet, adminTodosPath, ""},
		{http.MethodGet, adminInboxPath, ""},
		{http.MethodGet, "/portal/admin/todos", ""},
		{http.MethodGet, "/portal/admin/messages", ""},
		{http.MethodPost, adminTodosPath + "/" + id + "/clear", `{"result":"x"}`},
		{http.MethodPost, "/portal/admin/todos/" + id + "/clear", `{"result":"x"}`},
		{http.MethodPost, adminMessagesPath + "/x/read?username=" + url.QueryEscape(st.amy), ""},
		{http.MethodPost, "/portal/admin/messages/x/read?username=" + url.QueryEscape(st.amy), ""},
	} {
		header := http.Header{"Content-Type": {"application/json"}}
		st.ask(t, call[0], call[1], header, call[2]).fails(t, http.StatusUnauthorized)
		st.ask(t, call[0], call[1], with(header, "Authorization", st.bearer(t, st.amy).Get("Authorization")), call[2]).fails(t, http.StatusForbidden)
		st.hers.send(t, call[0], call[1], with(ownPage, "Content-Type", "application/json"), call[2]).fails(t, http.StatusForbidden)
		var body any
		if call[2] != "" {
			body = object{"result": "x"}
		}
		want(t, "status for a client", st.Call(t, call[0], call[1], body, nil).Status, http.StatusForbidden)
	}
}
