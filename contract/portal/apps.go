package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func appCases() []peopleCase {
	cases := []peopleCase{
		{"an administrator adds an app and lists all apps", appAdded},
		{"an id that is taken is 409 and an unknown one 404", appConflicts},
		{"what is wrong with an app is 400", appFaults},
		{"an update replaces what is said and leaves enabled as it is", appUpdated},
		{"an app is enabled and disabled and the same again changes nothing", appEnabled},
		{"people see what is enabled and visible to them by sort and name", appsVisible},
		{"only people with the permission apps manage them", appsForAdmins},
		{"an app that is unknown or disabled or not visible cannot be jumped into", jumpHidden},
		{"a jump leads to the entry of the app or to a path below it", jumpBelow},
		{"a navigation is sent to the app and others are told where it is", jumpNavigation},
		{"a navigation without a session leads to the login and then to the app", jumpLogin},
		{"nothing leads a jump to another place", jumpHostile},
		{"no app has an entry that leads to another place", entryHostile},
		{"a ticket says who comes and is for the app alone for a minute", ticketClaims},
		{"no jump brings a ticket of its own", ticketHostile},
		{"a ticket is no token of Hub", ticketNoToken},
		{"no app has the id of an audience of Hub", appAudience},
	}
	for i, c := range cases {
		cases[i].run = func(t *testing.T, st *stage) {
			defer st.hideApps(t)
			c.run(t, st)
		}
	}
	return cases
}

// inAddress and elsewhere are entries of apps.
const (
	inAddress = "https://app.example/in/"
	elsewhere = "https://other.example:8443/"
)

// admin makes a call of an administrator.
func (st *stage) admin(t *testing.T, method, path, body string) reply {
	t.Helper()
	header := st.bearer(t, st.carla)
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	return st.ask(t, method, path, header, body)
}

// appBody is what is said of an app.
func appBody(id, entry, more string) string {
	return fmt.Sprintf(`{"appId":%q,"name":"Name of %s","entryUrl":%q%s}`, id, id, entry, more)
}

// app makes an app for a case. More is what is said of it besides, such as `,"sort":1`.
func (st *stage) app(t *testing.T, more string) (id string) {
	t.Helper()
	id = contract.Fresh("app")
	st.admin(t, http.MethodPost, "/admin/apps", appBody(id, inAddress, more)).data(t)
	st.apps = append(st.apps, id)
	return id
}

// hideApps disables the apps of a case, since none can be taken away.
func (st *stage) hideApps(t *testing.T) {
	for _, id := range st.apps {
		st.admin(t, http.MethodPost, "/admin/apps/"+id+"/disable", "").data(t)
	}
	st.apps = nil
}

// storedApp is an app as an administrator sees it.
type storedApp struct {
	AppID      string   `json:"appId"`
	Name       string   `json:"name"`
	IconURL    string   `json:"iconUrl"`
	EntryURL   string   `json:"entryUrl"`
	Sort       int      `json:"sort"`
	Enabled    bool     `json:"enabled"`
	VisibleFor []string `json:"visibleFor"`
	SSO        string   `json:"sso"`
	ModifyTime string   `json:"modifyTime"`
	Modifier   string   `json:"modifier"`
}

func (st *stage) stored(t *testing.T, id string) storedApp {
	t.Helper()
	all := decode[[]storedApp](t, st.admin(t, http.MethodGet, "/admin/apps", "").data(t))
	i := slices.IndexFunc(all, func(a storedApp) bool { return a.AppID == id })
	if i < 0 {
		t.Fatalf("there is no app %s", id)
	}
	return all[i]
}

func appAdded(t *testing.T, st *stage) {
	id := st.app(t, "")
	a := st.stored(t, id)
	if a.EntryURL != inAddress || a.IconURL != "" || a.Sort != 0 || !a.Enabled || a.VisibleFor == nil || len(a.VisibleFor) != 0 || a.SSO != "none" || a.Modifier != st.carla {
		t.Errorf("the defaults are %+v", a)
	}
	full := st.app(t, `,"iconUrl":"/files/0123456789abcdef0123456789abcdef","sort":-7,"enabled":false,"visibleFor":["user:x","dept:y","role:z"],"sso":"ticket"`)
	a = st.stored(t, full)
	if a.IconURL != "/files/0123456789abcdef0123456789abcdef" || a.Sort != -7 || a.Enabled || strings.Join(a.VisibleFor, " ") != "user:x dept:y role:z" || a.SSO != "ticket" {
		t.Errorf("it is %+v", a)
	}
}

func appConflicts(t *testing.T, st *stage) {
	id := st.app(t, "")
	st.admin(t, http.MethodPost, "/admin/apps", appBody(id, elsewhere, "")).fails(t, http.StatusConflict)
	if a := st.stored(t, id); a.EntryURL != inAddress {
		t.Errorf("it is %+v", a)
	}
	unknown := contract.Fresh("app")
	st.admin(t, http.MethodPut, "/admin/apps/"+unknown, appBody(unknown, inAddress, "")).fails(t, http.StatusNotFound)
	for _, what := range []string{"enable", "disable"} {
		st.admin(t, http.MethodPost, "/admin/apps/"+unknown+"/"+what, "").fails(t, http.StatusNotFound)
	}
}

func appFaults(t *testing.T, st *stage) {
	id := st.app(t, "")
	faults := map[string][]string{
		"name":        {`{"entryUrl":"https://app.example/"}`},
		"entry url":   {`{"name":"x"}`},
		"appId":       {appBody("another", inAddress, "")},
		"icon url":    {appBody(id, inAddress, `,"iconUrl":"https://evil.example/x.png"`), appBody(id, inAddress, `,"iconUrl":"/files/x"`)},
		"sort":        {appBody(id, inAddress, `,"sort":1000001`), appBody(id, inAddress, `,"sort":"1"`)},
		"enabled":     {appBody(id, inAddress, `,"enabled":1`)},
		"visible for": {appBody(id, inAddress, `,"visibleFor":["amy"]`), appBody(id, inAddress, `,"visibleFor":["user:"]`)},
		"sso":         {appBody(id, inAddress, `,"sso":"TICKET"`)},
	}
	for field, bodies := range faults {
		for _, body := range bodies {
			if msg := st.admin(t, http.MethodPut, "/admin/apps/"+id, body).fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, field) {
				t.Errorf("%s: %q does not name %s", body, msg, field)
			}
		}
	}
}

func appUpdated(t *testing.T, st *stage) {
	id := st.app(t, `,"sort":5,"visibleFor":["user:x"],"enabled":false`)
	st.admin(t, http.MethodPut, "/admin/apps/"+id, `{"name":"new","entryUrl":"`+elsewhere+`"}`).data(t)
	a := st.stored(t, id)
	if a.Name != "new" || a.EntryURL != elsewhere || a.Sort != 0 || len(a.VisibleFor) != 0 || a.Enabled {
		t.Errorf("it is %+v", a)
	}
	st.admin(t, http.MethodPut, "/admin/apps/"+id, `{"name":"new","entryUrl":"`+elsewhere+`","enabled":true}`).data(t)
	if a := st.stored(t, id); !a.Enabled {
		t.Errorf("it is %+v", a)
	}
}

func appEnabled(t *testing.T, st *stage) {
	id := st.app(t, "")
	for _, what := range []string{"enable", "disable", "disable", "enable", "enable"} {
		a := decode[storedApp](t, st.admin(t, http.MethodPost, "/admin/apps/"+id+"/"+what, "").data(t))
		if a.Enabled != (what == "enable") || a.AppID != id {
			t.Errorf("%s: %+v", what, a)
		}
	}
}

func appsVisible(t *testing.T, st *stage) {
	first := st.app(t, `,"sort":-1000000,"visibleFor":["user:`+st.amy+`"]`)
	second := st.app(t, `,"sort":-999999`)
	hidden := st.app(t, `,"sort":-999999,"visibleFor":["user:`+st.ben+`","role:`+st.amy+`","dept:`+st.amy+`"]`)
	off := st.app(t, `,"enabled":false`)
	for _, path := range []string{"/apps", "/portal/apps"} {
		data := st.hers.get(t, path).data(t)
		var ids []string
		for _, a := range decode[[]storedApp](t, data) {
			ids = append(ids, a.AppID)
		}
		at := func(id string) int { return slices.Index(ids, id) }
		if at(first) < 0 || at(second) < at(first) || at(hidden) >= 0 || at(off) >= 0 {
			t.Errorf("%s: she sees %q, of %s, %s, %s and %s", path, ids, first, second, hidden, off)
		}
		if strings.Contains(string(data), "visibleFor") || strings.Contains(string(data), st.carla) {
			t.Errorf("%s: it says who else sees them: %s", path, data)
		}
	}
}

func appsForAdmins(t *testing.T, st *stage) {
	id := st.app(t, "")
	for path, method := range map[string]string{
		"/admin/apps": http.MethodGet, "/admin/apps?": http.MethodPost, "/admin/apps/" + id: http.MethodPut,
		"/admin/apps/" + id + "/enable": http.MethodPost, "/admin/apps/" + id + "/disable": http.MethodPost,
	} {
		body := appBody(id, elsewhere, "")
		st.hers.send(t, method, path, with(ownPage, "Content-Type", "application/json"), body).fails(t, http.StatusForbidden)
		st.ask(t, method, path, with(st.bearer(t, st.amy), "Content-Type", "application/json"), body).fails(t, http.StatusForbidden)
		st.Call(t, method, path, json.RawMessage(body), nil).Fails(t, http.StatusForbidden)
		st.ask(t, method, path, nil, body).fails(t, http.StatusUnauthorized)
	}
	for _, path := range []string{"/apps", "/apps/" + id + "/jump"} {
		st.Call(t, http.MethodGet, path, nil, nil).Fails(t, http.StatusForbidden)
		st.ask(t, http.MethodGet, path, nil, "").fails(t, http.StatusUnauthorized)
	}
	if a := st.stored(t, id); !a.Enabled || a.EntryURL != inAddress {
		t.Errorf("it is %+v", a)
	}
}

// appAudience looks for an audience in a token of a person, and asks for an app of that name.
func appAudience(t *testing.T, st *stage) {
	parts := strings.Split(st.people.Token(t, st.amy), ".")
	audience, _ := claimsOf(t, parts[1])["aud"].(string)
	if audience == "" {
		t.Fatal("the token has no audience")
	}
	st.admin(t, http.MethodPost, "/admin/apps", appBody(audience, inAddress, "")).fails(t, http.StatusBadRequest)
	st.hers.get(t, "/apps/"+url.PathEscape(audience)+"/jump").fails(t, http.StatusNotFound)
}
