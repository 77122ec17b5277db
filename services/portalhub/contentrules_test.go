package portalhub_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
)

// TestWhoMayCallOfContent makes every call as everybody.
func TestWhoMayCallOfContent(t *testing.T) {
	client, _ := contents(t, openStore(t))
	channel := addChannel(t, client)
	made, err := client.CreateArticle(editor(t), &contentv1.CreateArticleRequest{ChannelId: channel, Title: "x"})
	if err != nil {
		t.Fatal(err)
	}
	id := made.GetArticle().GetId()
	if _, err := client.PublishArticle(editor(t), &contentv1.PublishArticleRequest{ArticleId: id}); err != nil {
		t.Fatal(err)
	}
	said := &contentv1.UpdateChannelRequest{ChannelId: channel, Name: "x", Type: 1}
	calls := map[string]func(context.Context) error{
		"feed": func(ctx context.Context) error { return second(client.ListFeed(ctx, &contentv1.ListFeedRequest{})) },
		"read": func(ctx context.Context) error {
			return second(client.ReadArticle(ctx, &contentv1.ReadArticleRequest{ArticleId: id}))
		},
		"channels": func(ctx context.Context) error {
			return second(client.ListChannels(ctx, &contentv1.ListChannelsRequest{}))
		},
		"add": func(ctx context.Context) error {
			return second(client.CreateChannel(ctx, &contentv1.CreateChannelRequest{Name: "x", Type: 1}))
		},
		"change": func(ctx context.Context) error { return second(client.UpdateChannel(ctx, said)) },
		"disable": func(ctx context.Context) error {
			return second(client.DisableChannel(ctx, &contentv1.DisableChannelRequest{ChannelId: channel}))
		},
		"enable": func(ctx context.Context) error {
			return second(client.EnableChannel(ctx, &contentv1.EnableChannelRequest{ChannelId: channel}))
		},
		"articles": func(ctx context.Context) error {
			return second(client.ListArticles(ctx, &contentv1.ListArticlesRequest{}))
		},
		"get": func(ctx context.Context) error {
			return second(client.GetArticle(ctx, &contentv1.GetArticleRequest{ArticleId: id}))
		},
		"create": func(ctx context.Context) error {
			return second(client.CreateArticle(ctx, &contentv1.CreateArticleRequest{ChannelId: channel, Title: "x"}))
		},
		"update": func(ctx context.Context) error {
			return second(client.UpdateArticle(ctx, &contentv1.UpdateArticleRequest{ArticleId: id, ChannelId: channel, Title: "x"}))
		},
		"unpublish": func(ctx context.Context) error {
			return second(client.UnpublishArticle(ctx, &contentv1.UnpublishArticleRequest{ArticleId: id}))
		},
		"publish": func(ctx context.Context) error {
			return second(client.PublishArticle(ctx, &contentv1.PublishArticleRequest{ArticleId: id}))
		},
		"pin": func(ctx context.Context) error {
			return second(client.PinArticle(ctx, &contentv1.PinArticleRequest{ArticleId: id}))
		},
		"unpin": func(ctx context.Context) error {
			return second(client.UnpinArticle(ctx, &contentv1.UnpinArticleRequest{ArticleId: id}))
		},
	}
	if want := len(contentv1.ContentService_ServiceDesc.Methods); len(calls) != want {
		t.Errorf("%d calls of %d", len(calls), want)
	}
	for who, ctx := range map[string]context.Context{
		"nobody": t.Context(), "a client": as(t, "erp/client"), "a client of the directory": as(t, "hr/directory"), "an edge": as(t, key),
		"a user": user(t, "amy"), "a user with other permissions": user(t, "amy", "todos", "messages", "apps", "directory", "Content"),
	} {
		for _, what := range slices.Sorted(maps.Keys(calls)) {
			want := codes.PermissionDenied
			switch {
			case who == "nobody":
				want = codes.Unauthenticated
			case strings.HasPrefix(who, "a user") && (what == "feed" || what == "read"):
				want = codes.OK
			}
			if got := status.Code(calls[what](ctx)); got != want {
				t.Errorf("%s, %s: %v, want %v", who, what, got, want)
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(calls)) {
		if err := calls[what](editor(t)); err != nil && what != "read" {
			t.Errorf("an editor, %s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
