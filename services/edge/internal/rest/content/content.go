// Package content is the REST form of the news and notices of portalhub: channels and articles for those who write
// them, and feeds and articles for those who read them.
package content

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	contentgw "example.com/hub/services/edge/internal/gatewaypb/hub/content/v1"
	"example.com/hub/services/edge/internal/rest"
)

const (
	// maxEntry is more bytes than the largest article takes on the wire without its bodies. Its texts are 5,700
	// characters at most.
	maxEntry = 24 << 10
	// MaxArticle is more bytes than it takes with them.
	MaxArticle = maxEntry + 1<<20
	// MaxChannels is more bytes than all channels take.
	MaxChannels = 200 * 12 << 10
)

// perRecord shares the size of what is no list out to the records of a usual page, which are reserved for it.
func perRecord(size int64) int64 { return size / field.DefaultPageSize }

// Area is what is served of the content.
func Area(hub grpc.ClientConnInterface) rest.Area {
	user := auth.Rule{User: true}
	area := rest.Area{Hub: hub, Register: register, Endpoints: []rest.Endpoint{
		{
			Method: http.MethodGet, Path: "/cms/feeds", Rule: user,
			Read: rest.Reads(readFeed), Write: rest.List(FeedEntry), MaxRecord: maxEntry,
		},
		{
			Method: http.MethodGet, Path: "/cms/articles/{articleId}", Rule: user,
			Read: rest.Reads(nothing[contentv1.ReadArticleRequest]), Write: rest.Item(FeedArticle), MaxRecord: perRecord(MaxArticle),
		},
	}}
	for _, below := range []string{"", "/portal"} {
		area.Endpoints = append(area.Endpoints, channels(below+"/admin/cms/channels")...)
		area.Endpoints = append(area.Endpoints, articles(below+"/admin/cms/articles")...)
	}
	return area
}

var editor = auth.Rule{Permission: auth.PermissionContent}

func channels(path string) []rest.Endpoint {
	change := func(method, path string, read rest.Reader, write rest.Writer) rest.Endpoint {
		return rest.Endpoint{Method: method, Path: path, Rule: editor, Read: read, Write: write}
	}
	stored := rest.Item(Channel)
	return []rest.Endpoint{
		{
			Method: http.MethodGet, Path: path, Rule: editor,
			Read: rest.Reads(nothing[contentv1.ListChannelsRequest]), Write: rest.All(Channel), MaxRecord: perRecord(MaxChannels),
		},
		change(http.MethodPost, path, rest.Reads(readCreateChannel), rest.Created(Channel, "channel_id")),
		change(http.MethodPut, path+"/{channelId}", rest.Reads(readUpdateChannel), stored),
		change(http.MethodPost, path+"/{channelId}/enable", rest.Reads(nothing[contentv1.EnableChannelRequest]), stored),
		change(http.MethodPost, path+"/{channelId}/disable", rest.Reads(nothing[contentv1.DisableChannelRequest]), stored),
	}
}

func articles(path string) []rest.Endpoint {
	one := func(method, path string, read rest.Reader, write rest.Writer) rest.Endpoint {
		return rest.Endpoint{Method: method, Path: path, Rule: editor, Read: read, Write: write, MaxRecord: perRecord(MaxArticle)}
	}
	stored := rest.Item(Article)
	return []rest.Endpoint{
		{
			Method: http.MethodGet, Path: path, Rule: editor,
			Read: rest.Reads(readArticles), Write: rest.List(ArticleEntry), MaxRecord: maxEntry,
		},
		one(http.MethodPost, path, rest.Reads(readCreateArticle), rest.Created(Article, "article_id")),
		one(http.MethodGet, path+"/{articleId}", rest.Reads(nothing[contentv1.GetArticleRequest]), stored),
		one(http.MethodPut, path+"/{articleId}", rest.Reads(readUpdateArticle), stored),
		one(http.MethodPost, path+"/{articleId}/publish", rest.Reads(nothing[contentv1.PublishArticleRequest]), stored),
		one(http.MethodPost, path+"/{articleId}/unpublish", rest.Reads(nothing[contentv1.UnpublishArticleRequest]), stored),
		one(http.MethodPost, path+"/{articleId}/pin", rest.Reads(nothing[contentv1.PinArticleRequest]), stored),
		one(http.MethodPost, path+"/{articleId}/unpin", rest.Reads(nothing[contentv1.UnpinArticleRequest]), stored),
	}
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return contentgw.RegisterContentServiceHandlerClient(ctx, mux, contentv1.NewContentServiceClient(hub))
}

// nothing is for requests with nothing but what is in the path.
func nothing[M any](*rest.Request, *M) error { return nil }
