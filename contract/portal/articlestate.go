package portal

import (
	"net/http"
	"testing"
)

func draftPublished(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	if a.Status != "published" || !isNow(a.PublishedAt) || *a.OccurredAt != *a.PublishedAt {
		t.Errorf("it is %+v", a)
	}
	dated := st.published(t, c, map[string]any{"occurredAt": "2026-01-01T00:00:00Z"})
	if !isNow(dated.PublishedAt) || *dated.OccurredAt != "2026-01-01T00:00:00Z" {
		t.Errorf("it is %+v", dated)
	}
	for _, id := range []string{a.ID, dated.ID} {
		st.hers.get(t, "/cms/articles/"+id).data(t)
	}
}

func offlinePublished(t *testing.T, st *stage) {
	a := st.published(t, st.channel(t, nil), nil)
	st.turn(t, a.ID, "unpublish")
	again := st.turn(t, a.ID, "publish")
	if again.Status != "published" || *again.PublishedAt != *a.PublishedAt || *again.OccurredAt != *a.OccurredAt {
		t.Errorf("it is %+v, and was %+v", again, a)
	}
	st.hers.get(t, "/cms/articles/"+a.ID).data(t)
}

func articleUnpublished(t *testing.T, st *stage) {
	a := st.published(t, st.channel(t, nil), nil)
	if off := st.turn(t, a.ID, "unpublish"); off.Status != "offline" || *off.PublishedAt != *a.PublishedAt {
		t.Errorf("it is %+v", off)
	}
	st.hers.get(t, "/cms/articles/"+a.ID).fails(t, http.StatusNotFound)
}

func draftUnpublished(t *testing.T, st *stage) {
	a := st.article(t, st.channel(t, nil), nil)
	st.admin(t, http.MethodPost, articlesPath+"/"+a.ID+"/unpublish", "").fails(t, http.StatusConflict)
	want(t, "the article", st.read(t, a.ID), a)
}

func articleAgain(t *testing.T, st *stage) {
	a := st.article(t, st.channel(t, nil), nil)
	for _, what := range []string{"unpin", "publish", "pin", "unpublish", "unpin"} {
		first := st.turn(t, a.ID, what)
		want(t, "the article after "+what, st.turn(t, a.ID, what), first)
	}
}

func articlePinned(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	draft, online := st.article(t, c, nil), st.published(t, c, nil)
	offline := st.turn(t, st.published(t, c, nil).ID, "unpublish")
	for _, a := range []storedArticle{draft, online, offline} {
		if got := st.turn(t, a.ID, "pin"); !got.Pinned || !isNow(got.PinnedAt) || got.Status != a.Status {
			t.Errorf("it is %+v", got)
		}
		if got := st.turn(t, a.ID, "unpin"); got.Pinned || got.PinnedAt != nil || got.Status != a.Status {
			t.Errorf("it is %+v", got)
		}
	}
}

func articleEdited(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	st.put(t, a.ID, text(c, map[string]any{"title": "edited", "contentHtml": "<p>edited</p>"})).data(t)
	if got := decode[storedArticle](t, st.hers.get(t, "/cms/articles/"+a.ID).data(t)); got.Title != "edited" || got.ContentHTML != "<p>edited</p>" {
		t.Errorf("it is %+v", got)
	}
	if got := st.feed(t, "?type=news", a.ID); len(got) != 1 || got[0].Title != "edited" {
		t.Errorf("the feed has %v", got)
	}
}
