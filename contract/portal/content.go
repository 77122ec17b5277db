package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func contentCases() []peopleCase {
	cases := slices.Concat([]peopleCase{
		{"only people with the permission content manage channels and articles", contentForAdmins},
		{"an administrator adds a channel and lists all channels", channelAdded},
		{"what is wrong with a channel is 400", channelFaults},
		{"an update replaces what is said of a channel and leaves enabled as it is", channelUpdated},
		{"a channel is enabled and disabled and the same again changes nothing", channelEnabled},
		{"a channel or an article that is not there is 404", contentUnknown},
	}, articleCases(), feedCases(), sanitiseCases())
	for i, c := range cases {
		cases[i].run = func(t *testing.T, st *stage) {
			defer st.hideContent(t)
			c.run(t, st)
		}
	}
	return cases
}

const (
	channelsPath = "/admin/cms/channels"
	articlesPath = "/admin/cms/articles"
)

// storedChannel is a channel as an administrator sees it.
type storedChannel struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	Sort       int      `json:"sort"`
	Enabled    bool     `json:"enabled"`
	VisibleFor []string `json:"visibleFor"`
	ModifyTime string   `json:"modifyTime"`
	Modifier   string   `json:"modifier"`
}

// channelName is that of a channel that the cases have made. None can be taken away and there may be 200 only, so they
// use those again that are disabled.
const channelName = "Of a test"

func (st *stage) channels(t *testing.T) []storedChannel {
	t.Helper()
	return decode[[]storedChannel](t, st.admin(t, http.MethodGet, channelsPath, "").data(t))
}

// channel gives a channel of news for a case, which amy sees. More is what is said of it besides or otherwise.
func (st *stage) channel(t *testing.T, more map[string]any) storedChannel {
	t.Helper()
	said := map[string]any{"name": channelName, "type": "news", "visibleFor": []string{"user:" + st.amy}, "enabled": true}
	for name, value := range more {
		said[name] = value
	}
	method, path := http.MethodPost, channelsPath
	for _, c := range st.channels(t) {
		if !c.Enabled && c.Name == channelName {
			method, path = http.MethodPut, channelsPath+"/"+c.ID
		}
	}
	c := decode[storedChannel](t, st.admin(t, method, path, asJSON(t, said)).data(t))
	st.channelIDs = append(st.channelIDs, c.ID)
	return c
}

// hideContent disables the channels of a case and takes its articles offline.
func (st *stage) hideContent(t *testing.T) {
	for _, id := range st.articleIDs {
		st.admin(t, http.MethodPost, articlesPath+"/"+id+"/unpin", "").data(t)
		st.admin(t, http.MethodPost, articlesPath+"/"+id+"/unpublish", "") // or it is a draft
	}
	for _, id := range st.channelIDs {
		st.admin(t, http.MethodPut, channelsPath+"/"+id, `{"name":"`+channelName+`","type":"news","enabled":false}`).data(t)
	}
	st.articleIDs, st.channelIDs = nil, nil
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func contentForAdmins(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.article(t, c, nil)
	for _, below := range []string{"", "/portal"} {
		for _, call := range []string{
			"GET " + channelsPath, "POST " + channelsPath, "PUT " + channelsPath + "/" + c.ID, "POST " + channelsPath + "/" + c.ID + "/enable",
			"POST " + channelsPath + "/" + c.ID + "/disable", "GET " + articlesPath, "POST " + articlesPath, "GET " + articlesPath + "/" + a.ID,
			"PUT " + articlesPath + "/" + a.ID, "POST " + articlesPath + "/" + a.ID + "/publish", "POST " + articlesPath + "/" + a.ID + "/unpublish",
			"POST " + articlesPath + "/" + a.ID + "/pin", "POST " + articlesPath + "/" + a.ID + "/unpin",
		} {
			method, path, _ := strings.Cut(call, " ")
			path = below + path
			body := ""
			if method != http.MethodGet {
				body = asJSON(t, map[string]any{"name": "x", "type": "news", "channelId": c.ID, "title": "x"})
			}
			st.hers.send(t, method, path, with(ownPage, "Content-Type", "application/json"), body).fails(t, http.StatusForbidden)
			st.ask(t, method, path, with(st.bearer(t, st.amy), "Content-Type", "application/json"), body).fails(t, http.StatusForbidden)
			st.Call(t, method, path, nil, nil).Fails(t, http.StatusForbidden)
			st.ask(t, method, path, nil, body).fails(t, http.StatusUnauthorized)
			if method == http.MethodGet {
				st.admin(t, method, path, "").data(t)
			}
		}
	}
	for _, path := range []string{"/cms/feeds", "/cms/articles/" + a.ID} {
		st.Call(t, http.MethodGet, path, nil, nil).Fails(t, http.StatusForbidden)
		st.ask(t, http.MethodGet, path, nil, "").fails(t, http.StatusUnauthorized)
	}
	if now := st.read(t, a.ID); now.Version != 1 || now.Title != a.Title {
		t.Errorf("it is %+v", now)
	}
}

func channelAdded(t *testing.T, st *stage) {
	c := st.channel(t, map[string]any{"visibleFor": nil, "enabled": nil})
	if c.Sort != 0 || c.VisibleFor == nil || len(c.VisibleFor) != 0 || c.Type != "news" || c.Modifier != st.carla || len(c.ID) != 32 {
		t.Errorf("the defaults are %+v", c)
	}
	early := st.channel(t, map[string]any{"type": "notice", "sort": -1_000_000, "visibleFor": []string{"user:x", "dept:y", "role:z"}})
	late := st.channel(t, map[string]any{"sort": 1_000_000})
	var ids []string
	for _, stored := range st.channels(t) {
		ids = append(ids, stored.ID)
		if stored.ID == early.ID {
			want(t, "the channel", stored, early)
		}
	}
	if slices.Index(ids, early.ID) > slices.Index(ids, c.ID) || slices.Index(ids, c.ID) > slices.Index(ids, late.ID) || early.Type != "notice" || len(early.VisibleFor) != 3 {
		t.Errorf("the channels are %q: %+v", ids, early)
	}
}

func channelFaults(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	for field, faults := range map[string][]string{
		"name":        {`{"type":"news"}`, `{"type":"news","name":" "}`, `{"type":"news","name":"` + strings.Repeat("x", 129) + `"}`, `{"type":"news","name":1}`},
		"type":        {`{"name":"x"}`, `{"name":"x","type":"NEWS"}`, `{"name":"x","type":"other"}`, `{"name":"x","type":1}`},
		"sort":        {`{"name":"x","type":"news","sort":1000001}`, `{"name":"x","type":"news","sort":"1"}`},
		"enabled":     {`{"name":"x","type":"news","enabled":"yes"}`},
		"visible for": {`{"name":"x","type":"news","visibleFor":["amy"]}`, `{"name":"x","type":"news","visibleFor":["user:"]}`, `{"name":"x","type":"news","visibleFor":` + asJSON(t, slices.Repeat([]string{"user:x"}, 101)) + `}`},
	} {
		for _, body := range faults {
			for _, call := range []string{"POST " + channelsPath, "PUT " + channelsPath + "/" + c.ID} {
				method, path, _ := strings.Cut(call, " ")
				if msg := st.admin(t, method, path, body).fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, field) {
					t.Errorf("%s %.60s: %q does not name %s", call, body, msg, field)
				}
			}
		}
	}
}

func channelUpdated(t *testing.T, st *stage) {
	c := st.channel(t, map[string]any{"sort": 5, "visibleFor": []string{"user:x"}})
	for i, enabled := range []any{nil, false, nil, true} {
		body := asJSON(t, map[string]any{"name": channelName, "type": []string{"notice", "news"}[i%2], "enabled": enabled})
		got := decode[storedChannel](t, st.admin(t, http.MethodPut, channelsPath+"/"+c.ID, body).data(t))
		if got.ID != c.ID || got.Sort != 0 || len(got.VisibleFor) != 0 || got.Enabled != (i == 0 || i == 3) || got.Type != []string{"notice", "news"}[i%2] {
			t.Errorf("%s: it is %+v", body, got)
		}
	}
}

func channelEnabled(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	for _, what := range []string{"enable", "disable", "disable", "enable", "enable"} {
		c.Enabled = what == "enable"
		got := decode[storedChannel](t, st.admin(t, http.MethodPost, channelsPath+"/"+c.ID+"/"+what, "").data(t))
		got.ModifyTime = c.ModifyTime
		want(t, "the channel", got, c)
	}
}

func contentUnknown(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	for _, id := range []string{contract.Fresh("none"), strings.Repeat("0", 32), "%20"} {
		st.missing(t, http.MethodPut, channelsPath+"/"+id, `{"name":"x","type":"news"}`)
		for _, path := range []string{"/enable", "/disable"} {
			st.missing(t, http.MethodPost, channelsPath+"/"+id+path, "")
		}
		for _, path := range []string{"/publish", "/unpublish", "/pin", "/unpin"} {
			st.missing(t, http.MethodPost, articlesPath+"/"+id+path, "")
		}
		st.missing(t, http.MethodPut, articlesPath+"/"+id, asJSON(t, map[string]any{"channelId": c.ID, "title": "x", "version": 1}))
		st.missing(t, http.MethodGet, articlesPath+"/"+id, "")
	}
}

// missing wants 404, or 400 for what can be no id.
func (st *stage) missing(t *testing.T, method, path, body string) {
	t.Helper()
	status := http.StatusNotFound
	if strings.Contains(path, "%20") {
		status = http.StatusBadRequest
	}
	st.admin(t, method, path, body).fails(t, status)
}

// storedArticle is an article as an administrator sees it, or, with less, a reader.
type storedArticle struct {
	ID            string          `json:"id"`
	ChannelID     string          `json:"channelId"`
	ChannelName   string          `json:"channelName"`
	Type          string          `json:"type"`
	Title         string          `json:"title"`
	Summary       string          `json:"summary"`
	CoverImageURL string          `json:"coverImageUrl"`
	ContentHTML   string          `json:"contentHtml"`
	ContentJSON   json.RawMessage `json:"contentJson"`
	OccurredAt    *string         `json:"occurredAt"`
	Version       int             `json:"version"`
	Status        string          `json:"status"`
	Pinned        bool            `json:"pinned"`
	PinnedAt      *string         `json:"pinnedAt"`
	PublishedAt   *string         `json:"publishedAt"`
	ModifyTime    string          `json:"modifyTime"`
	Modifier      string          `json:"modifier"`
}

// text is what is said of an article in a channel, with more or with something else.
func text(c storedChannel, more map[string]any) map[string]any {
	said := map[string]any{"channelId": c.ID, "title": contract.Fresh("title"), "contentHtml": "<p>body</p>"}
	for name, value := range more {
		said[name] = value
	}
	return said
}

// article makes a draft for a case.
func (st *stage) article(t *testing.T, c storedChannel, more map[string]any) storedArticle {
	t.Helper()
	a := decode[storedArticle](t, st.admin(t, http.MethodPost, articlesPath, asJSON(t, text(c, more))).data(t))
	st.articleIDs = append(st.articleIDs, a.ID)
	return a
}

// published makes an article that readers see.
func (st *stage) published(t *testing.T, c storedChannel, more map[string]any) storedArticle {
	t.Helper()
	return st.turn(t, st.article(t, c, more).ID, "publish")
}

// turn publishes an article, or does something else of that kind with it.
func (st *stage) turn(t *testing.T, id, what string) storedArticle {
	t.Helper()
	return decode[storedArticle](t, st.admin(t, http.MethodPost, articlesPath+"/"+id+"/"+what, "").data(t))
}

// put replaces what is said of an article.
func (st *stage) put(t *testing.T, id string, said map[string]any) reply {
	t.Helper()
	return st.admin(t, http.MethodPut, articlesPath+"/"+id, asJSON(t, said))
}

// read gives an article as an administrator sees it.
func (st *stage) read(t *testing.T, id string) storedArticle {
	t.Helper()
	return decode[storedArticle](t, st.admin(t, http.MethodGet, articlesPath+"/"+id, "").data(t))
}

func (a storedArticle) String() string {
	return fmt.Sprintf("%s %s version %d", a.ID, a.Status, a.Version)
}
