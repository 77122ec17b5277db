package portal

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
)

func articleCases() []peopleCase {
	return []peopleCase{
		{"an article begins as a draft with what is said of it", articleAdded},
		{"what is wrong with an article is 400", articleFaults},
		{"an article is for a channel that is there", articleChannel},
		{"an update replaces what is said of an article and leaves its status", articleUpdated},
		{"each change counts the version, and a call that changes nothing does not", articleVersions},
		{"an update of another version is 409 and without one the last writer wins", articleStale},
		{"a draft that is published shows, with the time of that where it names none", draftPublished},
		{"an offline article that is published keeps its first times", offlinePublished},
		{"a published article that is unpublished is offline", articleUnpublished},
		{"a draft that is unpublished is 409", draftUnpublished},
		{"the same again is 200 and changes nothing", articleAgain},
		{"an article in any status is pinned and unpinned, and keeps its status", articlePinned},
		{"an edit of a published article shows at once", articleEdited},
		{"the JSON of an editor comes back to administrators as it came", articleJSON},
		{"the largest bodies are taken and larger ones are 400", articleLimits},
		{"administrators list articles by channel and status, the last created first", articleList},
		{"the calls of content below /portal/admin are the same", contentBelow},
	}
}

func articleAdded(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.article(t, c, map[string]any{"title": "A title", "contentHtml": nil})
	if a.ChannelID != c.ID || a.Title != "A title" || a.Summary != "" || a.CoverImageURL != "" || a.ContentHTML != "" || string(a.ContentJSON) != "null" || a.OccurredAt != nil ||
		a.Version != 1 || a.Status != "draft" || a.Pinned || a.PinnedAt != nil || a.PublishedAt != nil || a.Modifier != st.carla || len(a.ID) != 32 {
		t.Errorf("the defaults are %+v", a)
	}
	full := st.article(t, c, map[string]any{
		"title": "T \U0001f600", "summary": "s", "coverImageUrl": "/files/0123456789abcdef0123456789abcdef", "contentHtml": "<h2>x</h2>", "occurredAt": "2026-03-04T05:06:07.1234567+01:00",
	})
	if full.Title != "T \U0001f600" || full.Summary != "s" || full.CoverImageURL != "/files/0123456789abcdef0123456789abcdef" || full.ContentHTML != "<h2>x</h2>" || *full.OccurredAt != "2026-03-04T04:06:07.123456Z" {
		t.Errorf("it is %+v", full)
	}
	want(t, "the article", st.read(t, full.ID), full)
}

func articleFaults(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.article(t, c, nil)
	for field, faults := range map[string][]map[string]any{
		"channel":         {{"channelId": nil}, {"channelId": " "}, {"channelId": 1}},
		"title":           {{"title": nil}, {"title": ""}, {"title": strings.Repeat("x", 1025)}, {"title": []int{}}},
		"summary":         {{"summary": strings.Repeat("x", 4097)}, {"summary": 1}},
		"cover":           {{"coverImageUrl": "https://evil.example/x.png"}, {"coverImageUrl": "/files/x"}, {"coverImageUrl": "/files/0123456789ABCDEF0123456789ABCDEF"}, {"coverImageUrl": "/files/0123456789abcdef0123456789abcdef?x"}, {"coverImageUrl": "javascript:x"}, {"coverImageUrl": "//evil.example/files/0123456789abcdef0123456789abcdef"}},
		"content":         {{"contentHtml": 1}, {"contentHtml": "a\x00b"}},
		"occurred":        {{"occurredAt": "yesterday"}, {"occurredAt": "2026-03-04"}, {"occurredAt": 1}},
		"the request bod": {{"contentJson": contentRaw(`{"a":`)}},
	} {
		for _, more := range faults {
			body := bodyOf(t, text(c, more))
			for _, call := range []string{"POST " + articlesPath, "PUT " + articlesPath + "/" + a.ID} {
				method, path, _ := strings.Cut(call, " ")
				msg := st.admin(t, method, path, body).fails(t, http.StatusBadRequest)
				if !strings.HasPrefix(msg, field) && !strings.HasPrefix(strings.ReplaceAll(msg, "occurredAt", "occurred at"), field) {
					t.Errorf("%s %.80s: %q does not name %s", call, body, msg, field)
				}
			}
		}
	}
	for _, version := range []any{0, -1, "1", 1.5} {
		st.put(t, a.ID, text(c, map[string]any{"version": version})).fails(t, http.StatusBadRequest)
	}
	want(t, "the article", st.read(t, a.ID), a)
}

// contentRaw is JSON that stands in a body as it is.
type contentRaw string

// bodyOf is asJSON for a body that may hold what is no JSON.
func bodyOf(t *testing.T, said map[string]any) string {
	t.Helper()
	raw, ok := said["contentJson"].(contentRaw)
	if !ok {
		return asJSON(t, said)
	}
	delete(said, "contentJson")
	return strings.TrimSuffix(asJSON(t, said), "}") + `,"contentJson":` + string(raw) + "}"
}

func articleChannel(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.article(t, c, nil)
	for _, id := range []string{contract.Fresh("none"), strings.Repeat("0", 32)} {
		for _, r := range []reply{
			st.admin(t, http.MethodPost, articlesPath, asJSON(t, text(c, map[string]any{"channelId": id}))),
			st.put(t, a.ID, text(c, map[string]any{"channelId": id})),
			st.put(t, a.ID, text(c, map[string]any{"channelId": id, "version": 1})),
		} {
			want(t, "the message", r.fails(t, http.StatusBadRequest), "channel id must be that of a channel")
		}
	}
	want(t, "the article", st.read(t, a.ID), a)
	other := st.channel(t, nil)
	if moved := decode[storedArticle](t, st.put(t, a.ID, text(other, nil)).data(t)); moved.ChannelID != other.ID {
		t.Errorf("it is in %s", moved.ChannelID)
	}
}

func articleUpdated(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	for _, status := range []string{"draft", "published", "offline"} {
		a := st.article(t, c, map[string]any{
			"summary": "s", "coverImageUrl": "/files/0123456789abcdef0123456789abcdef", "contentJson": 1, "occurredAt": "2026-01-01T00:00:00Z",
		})
		if status != "draft" {
			a = st.turn(t, a.ID, "publish")
		}
		if status == "offline" {
			a = st.turn(t, a.ID, "unpublish")
		}
		got := decode[storedArticle](t, st.put(t, a.ID, map[string]any{"channelId": c.ID, "title": "bare"}).data(t))
		if got.Title != "bare" || got.Summary != "" || got.CoverImageURL != "" || got.ContentHTML != "" || string(got.ContentJSON) != "null" || got.Status != status {
			t.Errorf("it is %+v", got)
		}
		// Without a time it is that of the first publication.
		if status == "draft" && got.OccurredAt != nil || status != "draft" && *got.OccurredAt != *a.PublishedAt {
			t.Errorf("%s: it occurred at %v", status, got.OccurredAt)
		}
	}
}

func articleVersions(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.article(t, c, nil)
	for i, what := range []string{"publish", "pin", "unpin", "unpublish", "publish"} {
		for range 2 {
			if got := st.turn(t, a.ID, what); got.Version != i+2 {
				t.Errorf("%s: the version is %d, want %d", what, got.Version, i+2)
			}
		}
	}
	for i := range 2 {
		if got := decode[storedArticle](t, st.put(t, a.ID, text(c, nil)).data(t)); got.Version != i+7 {
			t.Errorf("the version is %d, want %d", got.Version, i+7)
		}
	}
}

func articleStale(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.article(t, c, nil)
	st.put(t, a.ID, text(c, map[string]any{"version": 1})).data(t)
	now := st.read(t, a.ID)
	for _, version := range []int{1, 3, 1 << 52} {
		st.put(t, a.ID, text(c, map[string]any{"version": version})).fails(t, http.StatusConflict)
	}
	want(t, "the article", st.read(t, a.ID), now)
	if got := decode[storedArticle](t, st.put(t, a.ID, text(c, map[string]any{"title": "last", "version": 2})).data(t)); got.Version != 3 {
		t.Errorf("it is %+v", got)
	}
	if got := decode[storedArticle](t, st.put(t, a.ID, text(c, map[string]any{"title": "very last"})).data(t)); got.Version != 4 || got.Title != "very last" {
		t.Errorf("it is %+v", got)
	}
}

// isNow tells whether a time is about that of the target.
func isNow(text *string) bool {
	if text == nil {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, *text)
	return err == nil && time.Since(at).Abs() < time.Minute
}

func articleJSON(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	for _, raw := range []string{`{"type": "doc", "content": [ 1.0, "<script>", "\u0041", "ä" ]}`, `"text"`, `0`, `[]`, strings.Repeat("[", 64) + strings.Repeat("]", 64)} {
		r := st.admin(t, http.MethodPost, articlesPath, bodyOf(t, text(c, map[string]any{"contentJson": contentRaw(raw)})))
		a := decode[storedArticle](t, r.data(t))
		st.articleIDs = append(st.articleIDs, a.ID)
		if string(a.ContentJSON) != raw || string(st.read(t, a.ID).ContentJSON) != raw {
			t.Errorf("%.80s became %.80s", raw, a.ContentJSON)
		}
		st.turn(t, a.ID, "publish")
		if r := st.hers.get(t, "/cms/articles/"+a.ID); strings.Contains(string(r.data(t)), "contentJson") {
			t.Errorf("readers get it: %s", r)
		}
	}
	st.admin(t, http.MethodPost, articlesPath, bodyOf(t, text(c, map[string]any{"contentJson": contentRaw(strings.Repeat("[", 65) + strings.Repeat("]", 65))}))).fails(t, http.StatusBadRequest)
}

func articleLimits(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	html := "<p>" + strings.Repeat("ä", (256<<10-7)/2) + "</p>"
	full := map[string]any{
		"title": strings.Repeat("ä", 1024), "summary": strings.Repeat("ä", 4096), "contentHtml": html, "contentJson": contentRaw(`"` + strings.Repeat("x", 512<<10-2) + `"`),
	}
	r := st.admin(t, http.MethodPost, articlesPath, bodyOf(t, text(c, full)))
	a := decode[storedArticle](t, r.data(t))
	st.articleIDs = append(st.articleIDs, a.ID)
	if a.ContentHTML != html || len(a.ContentJSON) != 512<<10 {
		t.Errorf("it has %d and %d bytes", len(a.ContentHTML), len(a.ContentJSON))
	}
	st.turn(t, a.ID, "publish")
	if got := decode[storedArticle](t, st.hers.get(t, "/cms/articles/"+a.ID).data(t)); got.ContentHTML != html {
		t.Errorf("its readers get %d bytes", len(got.ContentHTML))
	}
	for name, more := range map[string]map[string]any{
		"content html": {"contentHtml": html + "ä"}, "content json": {"contentJson": contentRaw(`"` + strings.Repeat("x", 512<<10-1) + `"`)},
		"content html must be at most 262144 bytes once": {"contentHtml": strings.Repeat(`"`, 60_000)},
	} {
		if msg := st.admin(t, http.MethodPost, articlesPath, bodyOf(t, text(c, more))).fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, name) {
			t.Errorf("the message is %q, want %s", msg, name)
		}
	}
}

func articleList(t *testing.T, st *stage) {
	c, other := st.channel(t, nil), st.channel(t, nil)
	ids := map[string][]string{}
	for range 3 {
		for _, status := range []string{"draft", "published", "offline"} {
			a := st.article(t, c, nil)
			ids[""], ids[status] = append([]string{a.ID}, ids[""]...), append([]string{a.ID}, ids[status]...)
			if status != "draft" {
				st.turn(t, a.ID, "publish")
			}
			if status == "offline" {
				st.turn(t, a.ID, "unpublish")
			}
			st.article(t, other, nil)
		}
	}
	for status, mine := range ids {
		query := "?channelId=" + c.ID + "&status=" + status + "&size=2"
		var got []string
		for _, a := range st.walkArticles(t, st.editor(t), articlesPath+query, len(mine)) {
			got = append(got, a.ID)
			if a.ContentHTML != "" || a.ContentJSON != nil {
				t.Errorf("the list has the bodies of %s", a)
			}
		}
		want(t, "articles "+status, got[:min(len(got), len(mine))], mine)
	}
	if first := decode[[]storedArticle](t, st.admin(t, http.MethodGet, articlesPath+"?size=1", "").data(t)); first[0].ChannelID != other.ID {
		t.Errorf("all articles begin with %v", first)
	}
	for _, query := range []string{"status=DRAFT", "status=x", "size=0", "page=1", "cursor=x", "cursor=c1.x", "channelId=%00", "status=draft&status=draft"} {
		st.admin(t, http.MethodGet, articlesPath+"?"+query, "").fails(t, http.StatusBadRequest)
	}
	next := st.admin(t, http.MethodGet, articlesPath+"?size=1&channelId="+c.ID, "").next(t)
	for _, query := range []string{"", "&channelId=" + other.ID, "&status=draft&channelId=" + c.ID} {
		st.admin(t, http.MethodGet, articlesPath+"?cursor="+next+query, "").fails(t, http.StatusBadRequest)
	}
}

func contentBelow(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := decode[storedArticle](t, st.admin(t, http.MethodPost, "/portal"+articlesPath, asJSON(t, text(c, nil))).data(t))
	st.articleIDs = append(st.articleIDs, a.ID)
	for _, path := range []string{channelsPath, articlesPath, articlesPath + "/" + a.ID} {
		want(t, path, string(st.admin(t, http.MethodGet, "/portal"+path, "").body), string(st.admin(t, http.MethodGet, path, "").body))
	}
	for what, status := range map[string]string{"publish": "published", "unpublish": "offline"} {
		if what == "unpublish" {
			st.turn(t, a.ID, "publish")
		}
		if got := decode[storedArticle](t, st.admin(t, http.MethodPost, "/portal"+articlesPath+"/"+a.ID+"/"+what, "").data(t)); got.Status != status {
			t.Errorf("%s: it is %v", what, got)
		}
	}
	st.admin(t, http.MethodPost, "/portal"+channelsPath+"/"+c.ID+"/disable", "").data(t)
	st.admin(t, http.MethodPut, "/portal"+articlesPath+"/"+a.ID, asJSON(t, text(c, nil))).data(t)
}
