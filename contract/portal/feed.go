package portal

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func feedCases() []peopleCase {
	return []peopleCase{
		{"people see what is published in enabled channels that they see", feedVisible},
		{"a feed has the pinned articles first and then the others, the last first", feedOrder},
		{"a feed has channels of one type or of both, and no bodies", feedTypes},
		{"the pages of a feed together are the feed", feedWalk},
		{"a feed is walked by its own cursors alone", feedRefused},
		{"an article is read where it is published and its channel is enabled and visible", articleRead},
		{"the home page has the first five news and notices", homeNews},
	}
}

// editor are the headers of an administrator of content.
func (st *stage) editor(t *testing.T) http.Header {
	t.Helper()
	return st.bearer(t, st.carla)
}

// next is the cursor of the next page, or "".
func (r reply) next(t *testing.T) string {
	t.Helper()
	var answer struct {
		Page struct {
			Size       *int
			NextCursor *string
		}
		Count *int
		Data  []json.RawMessage
	}
	if err := json.Unmarshal(r.body, &answer); err != nil || answer.Page.Size == nil || answer.Count == nil || *answer.Count != len(answer.Data) {
		t.Fatalf("%v: %s", err, r)
	}
	if answer.Page.NextCursor == nil {
		return ""
	}
	return url.QueryEscape(*answer.Page.NextCursor)
}

// walkArticles gives the articles of a list, page by page, until there are some.
func (st *stage) walkArticles(t *testing.T, header http.Header, path string, some int) (all []storedArticle) {
	t.Helper()
	for cursor := ""; len(all) < some || some < 0; {
		r := st.ask(t, http.MethodGet, path+"&cursor="+cursor, header, "")
		all = append(all, decode[[]storedArticle](t, r.data(t))...)
		if cursor = r.next(t); cursor == "" {
			break
		}
	}
	return all
}

// feed gives the articles with some ids that amy's feed has, in its order.
func (st *stage) feed(t *testing.T, query string, ids ...string) (found []storedArticle) {
	t.Helper()
	return slices.DeleteFunc(st.walkArticles(t, st.bearer(t, st.amy), "/cms/feeds"+query, -1), func(a storedArticle) bool { return !slices.Contains(ids, a.ID) })
}

func idsOf(articles []storedArticle) (ids []string) {
	for _, a := range articles {
		ids = append(ids, a.ID)
	}
	return ids
}

func feedVisible(t *testing.T, st *stage) {
	var all []string
	seen := map[string]bool{}
	for _, tt := range []struct {
		said map[string]any
		seen bool
	}{
		{nil, true},
		{map[string]any{"visibleFor": []string{}}, true},
		{map[string]any{"visibleFor": []string{"role:none", "user:" + st.amy}}, true},
		{map[string]any{"visibleFor": []string{"user:" + st.ben, "role:" + st.amy, "dept:" + st.amy}}, false},
		{map[string]any{"enabled": false}, false},
	} {
		c := st.channel(t, tt.said)
		published, offline := st.published(t, c, nil), st.published(t, c, nil)
		st.turn(t, offline.ID, "unpublish")
		all = append(all, published.ID, offline.ID, st.article(t, c, nil).ID)
		seen[published.ID] = tt.seen
	}
	got := idsOf(st.feed(t, "?size=200", all...))
	for _, id := range all {
		if slices.Contains(got, id) != seen[id] {
			t.Errorf("%s is in the feed: %v, want %v", id, !seen[id], seen[id])
		}
	}
}

func feedOrder(t *testing.T, st *stage) {
	c, other := st.channel(t, nil), st.channel(t, nil)
	first := st.published(t, c, map[string]any{"occurredAt": "2026-01-01T00:00:00Z"})
	second := st.published(t, other, map[string]any{"occurredAt": "2026-01-03T00:00:00Z"})
	third := st.published(t, c, map[string]any{"occurredAt": "2026-01-02T00:00:00Z"})
	later := st.published(t, c, map[string]any{"occurredAt": "2999-01-01T00:00:00Z"})
	ids := []string{first.ID, second.ID, third.ID, later.ID}
	order := func(ids ...string) []string { return ids }
	want(t, "the feed", idsOf(st.feed(t, "?size=2", ids...)), order(later.ID, second.ID, third.ID, first.ID))
	st.turn(t, third.ID, "pin")
	st.turn(t, first.ID, "pin")
	want(t, "with two pinned", idsOf(st.feed(t, "?size=2", ids...)), order(first.ID, third.ID, later.ID, second.ID))
	st.turn(t, third.ID, "unpin")
	st.turn(t, third.ID, "pin")
	want(t, "pinned again", idsOf(st.feed(t, "?size=2", ids...)), order(third.ID, first.ID, later.ID, second.ID))
	st.turn(t, first.ID, "unpin")
	want(t, "unpinned", idsOf(st.feed(t, "?size=2", ids...)), order(third.ID, later.ID, second.ID, first.ID))
}

func feedTypes(t *testing.T, st *stage) {
	news, notices := st.channel(t, nil), st.channel(t, map[string]any{"type": "notice"})
	a, b := st.published(t, news, map[string]any{"summary": "s", "contentHtml": "<p>secret</p>", "contentJson": "secret"}), st.published(t, notices, nil)
	for query, ids := range map[string][]string{"?type=news": {a.ID}, "?type=notice": {b.ID}, "?type=": {a.ID, b.ID}, "?": {a.ID, b.ID}} {
		got := idsOf(st.feed(t, query, a.ID, b.ID))
		slices.Sort(got)
		slices.Sort(ids)
		want(t, query, got, ids)
	}
	r := st.hers.get(t, "/cms/feeds?type=news&size=200")
	for _, word := range []string{"secret", "contentHtml", "contentJson", "visibleFor", "modifier", `"version"`} {
		if strings.Contains(string(r.data(t)), word) {
			t.Errorf("a feed has %s", word)
		}
	}
	entry := st.feed(t, "?type=notice", b.ID)[0]
	if entry.ChannelID != notices.ID || entry.ChannelName != notices.Name || entry.Type != "notice" || entry.Title != b.Title || *entry.OccurredAt != *b.OccurredAt || *entry.PublishedAt != *b.PublishedAt || entry.Pinned || entry.PinnedAt != nil {
		t.Errorf("it is %+v", entry)
	}
}

func feedWalk(t *testing.T, st *stage) {
	c, other := st.channel(t, nil), st.channel(t, map[string]any{"type": "notice"})
	var ids []string
	for i := range 9 {
		channel := c
		if i%2 > 0 {
			channel = other
		}
		a := st.published(t, channel, nil)
		ids = append(ids, a.ID)
		if i%3 == 0 {
			st.turn(t, a.ID, "pin")
		}
	}
	whole := idsOf(st.feed(t, "?size=200", ids...))
	for _, query := range []string{"?size=1", "?size=2", "?size=9", "?"} {
		want(t, query, idsOf(st.feed(t, query, ids...)), whole)
	}
	if len(whole) != 9 {
		t.Errorf("the feed has %d of 9", len(whole))
	}
	// What is published meanwhile neither repeats nor hides one.
	page := st.hers.get(t, "/cms/feeds?size=4")
	st.published(t, c, nil)
	seen := idsOf(decode[[]storedArticle](t, page.data(t)))
	for next := page.next(t); next != ""; {
		page = st.hers.get(t, "/cms/feeds?size=4&cursor="+next)
		seen = append(seen, idsOf(decode[[]storedArticle](t, page.data(t)))...)
		next = page.next(t)
	}
	want(t, "with one more", slices.DeleteFunc(seen, func(id string) bool { return !slices.Contains(ids, id) }), whole)
}

func feedRefused(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	st.published(t, c, nil)
	st.published(t, c, nil)
	next := st.hers.get(t, "/cms/feeds?size=1&type=news").next(t)
	for _, query := range []string{"cursor=" + next, "type=notice&cursor=" + next, "cursor=x", "cursor=c1.x", "page=0", "cursor=&page=1", "size=0", "size=x", "type=x", "type=NEWS", "type=news&type=news"} {
		st.hers.get(t, "/cms/feeds?"+query).fails(t, http.StatusBadRequest)
	}
	st.hers.get(t, "/cms/feeds?size=100&type=news&cursor="+next).data(t)
}

func articleRead(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, map[string]any{"contentJson": "secret"})
	got := decode[storedArticle](t, st.hers.get(t, "/cms/articles/"+a.ID).data(t))
	if got.ContentHTML != "<p>body</p>" || got.Title != a.Title || got.ChannelName != c.Name || got.Type != "news" {
		t.Errorf("it is %+v", got)
	}
	for _, word := range []string{"secret", "contentJson", "visibleFor", "modifier", `"version"`} {
		if r := st.hers.get(t, "/cms/articles/"+a.ID); strings.Contains(string(r.body), word) {
			t.Errorf("its readers get %s", word)
		}
	}
	hidden := st.published(t, st.channel(t, map[string]any{"visibleFor": []string{"user:" + st.ben}}), nil)
	offline := st.published(t, c, nil)
	st.turn(t, offline.ID, "unpublish")
	for _, id := range []string{strings.Repeat("0", 32), "x", hidden.ID, offline.ID, st.article(t, c, nil).ID} {
		st.hers.get(t, "/cms/articles/"+id).fails(t, http.StatusNotFound)
	}
	st.ask(t, http.MethodGet, "/cms/articles/"+hidden.ID, st.bearer(t, st.ben), "").data(t)
	st.admin(t, http.MethodPost, channelsPath+"/"+c.ID+"/disable", "").data(t)
	st.hers.get(t, "/cms/articles/"+a.ID).fails(t, http.StatusNotFound)
}

func homeNews(t *testing.T, st *stage) {
	news, notices := st.channel(t, nil), st.channel(t, map[string]any{"type": "notice"})
	for range 6 {
		st.turn(t, st.published(t, news, nil).ID, "pin")
		st.turn(t, st.published(t, notices, nil).ID, "pin")
	}
	page := decode[struct{ News, Notices []storedArticle }](t, home(t, st.hers.get).data(t))
	for kind, got := range map[string][]storedArticle{"news": page.News, "notice": page.Notices} {
		want(t, kind, got, decode[[]storedArticle](t, st.hers.get(t, "/cms/feeds?size=5&type="+kind).data(t)))
		if len(got) != 5 {
			t.Errorf("the home page has %d of type %s", len(got), kind)
		}
	}
}
