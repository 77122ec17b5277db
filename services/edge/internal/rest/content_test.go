package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/field"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge"
	"example.com/hub/services/edge/internal/rest/content"
)

func TestWhatAnAdministratorMakesIsInItsLine(t *testing.T) {
	article := &contentv1.CreateArticleResponse{Article: &contentv1.Article{Id: "a-1", ChannelId: "c-1"}}
	for _, tt := range []struct {
		path, body, ids string
		reply           proto.Message
	}{
		{"/admin/cms/articles", `{"channelId":"c-1"}`, `{"article_id":"a-1","channel_id":"c-1"}`, article},
		{"/portal/admin/cms/articles", `{"channelId":"c-1"}`, `{"article_id":"a-1","channel_id":"c-1"}`, article},
		{"/admin/cms/channels", `{}`, `{"channel_id":"c-2"}`, &contentv1.CreateChannelResponse{Channel: &contentv1.Channel{Id: "c-2"}}},
		{"/admin/cms/articles/a%2F3/publish", "", `{"article_id":"a/3"}`, nil},
	} {
		f := newFront(t, asAdmin)
		f.hub.reply = tt.reply
		f.send(t, http.MethodPost, tt.path, tt.body)
		lines := f.audits(t)
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines", tt.path, len(lines))
		}
		if ids, err := json.Marshal(lines[0]["ids"]); err != nil || string(ids) != tt.ids || lines[0]["user"] != "carla" {
			t.Errorf("%s: %v, want %s", tt.path, lines[0], tt.ids)
		}
	}
}

func TestArticlesAsTheyAreSentAndAnswered(t *testing.T) {
	f := newFront(t, asAdmin)
	now := timestamppb.New(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	f.hub.reply = &contentv1.UpdateArticleResponse{Article: &contentv1.Article{
		Id: "a", ChannelId: "c", Title: "t", ContentHtml: "<p>&amp;</p>", ContentJson: `{"a": 1.0}`, OccurredAt: now, Version: 3, Status: 2,
		Pinned: true, PinnedAt: now, PublishedAt: now, CreateTime: now, ModifyTime: now, CreatorId: "user:carla", ModifierId: "user:ben",
	}}
	w := f.send(t, http.MethodPut, "/admin/cms/articles/a", `{"channelId":"c","title":"t","contentHtml":"<p>&amp;</p>","contentJson":{"a": 1.0},"version":2}`)
	f.wantCall(t, &contentv1.UpdateArticleRequest{ArticleId: "a", ChannelId: "c", Title: "t", ContentHtml: "<p>&amp;</p>", ContentJson: `{"a": 1.0}`, Version: proto.Int64(2)})
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"id":"a","channelId":"c","title":"t","summary":"","coverImageUrl":"","occurredAt":"2026-03-04T05:06:07Z",
		"version":3,"status":"published","pinned":true,"pinnedAt":"2026-03-04T05:06:07Z","publishedAt":"2026-03-04T05:06:07Z","createTime":"2026-03-04 05:06:07",
		"modifyTime":"2026-03-04 05:06:07","creator":"carla","creatorId":"user:carla","modifier":"ben","modifierId":"user:ben","delete":false,
		"contentHtml":"<p>&amp;</p>","contentJson":{"a": 1.0}}}`)
	if strings.Contains(w.Body.String(), "<p>") {
		t.Errorf("HTML stands in the answer as it is: %s", w.Body)
	}
}

func TestLargestContentFits(t *testing.T) {
	wide := func(characters int) string { return strings.Repeat("\U0001F4EB", characters) }
	id, user, path := strings.Repeat("0", 32), "user:"+wide(field.MaxUsername), "/files/"+strings.Repeat("0", 32)
	now := timestamppb.New(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))
	article := &contentv1.Article{
		Id: id, ChannelId: id, Title: wide(field.MaxTitle), Summary: wide(field.MaxSummary), CoverImageUrl: path, OccurredAt: now, Version: 1 << 62, Status: 3,
		Pinned: true, PinnedAt: now, PublishedAt: now, CreateTime: now, ModifyTime: now, CreatorId: user, ModifierId: user,
	}
	published := &contentv1.PublishedArticle{
		Id: id, ChannelId: id, ChannelName: wide(field.MaxLabel), Type: 2, Title: article.GetTitle(), Summary: article.GetSummary(), CoverImageUrl: path,
		OccurredAt: now, PublishedAt: now, Pinned: true, PinnedAt: now,
	}
	for path, record := range map[string]proto.Message{"/admin/cms/articles": article, "/cms/feeds": published} {
		most := int(endpoint(t, http.MethodGet, path).MaxRecord)
		if n := proto.Size(record); n > most || n < most*3/4 {
			t.Errorf("%T takes %d bytes, and its list reserves %d", record, n, most)
		}
	}
	article.ContentHtml, article.ContentJson = strings.Repeat("x", 256<<10), strings.Repeat("x", 512<<10)
	channel := &contentv1.Channel{
		Id: id, Name: wide(field.MaxLabel), Type: 2, Sort: -1, Enabled: true, VisibleFor: append(make([]string, 99), strings.Repeat("x", 8192)),
		CreateTime: now, ModifyTime: now, CreatorId: user, ModifierId: user,
	}
	var small edge.Config
	small.MaxPageSize = 1
	for most, n := range map[int]int{content.MaxArticle: proto.Size(article), content.MaxChannels: 200 * proto.Size(channel)} {
		if n > most || most > small.MaxReceive() {
			t.Errorf("it takes %d bytes of %d, and the edge receives %d", n, most, small.MaxReceive())
		}
	}
}
