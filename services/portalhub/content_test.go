package portalhub_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/grpcserver"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/content"
	"example.com/hub/services/portalhub/internal/visibility"
)

// contents serves the hub in memory on a store.
func contents(t *testing.T, store portalhub.Store) (contentv1.ContentServiceClient, *portalhub.Service) {
	t.Helper()
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	service, err := portalhub.New(portalhub.Deps{Config: c, Store: store, Clock: newClock().time, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	options := grpcserver.Options{Verifier: tokens{}}
	if options.Edges.Key, err = internalkey.New(key); err != nil {
		t.Fatal(err)
	}
	options.Admit(service)
	local := grpcserver.NewLocal(options)
	service.Register(local)
	return contentv1.NewContentServiceClient(local), service
}

func editor(t *testing.T) context.Context {
	t.Helper()
	return user(t, "carla", "content")
}

func addChannel(t *testing.T, client contentv1.ContentServiceClient) string {
	t.Helper()
	got, err := client.CreateChannel(editor(t), &contentv1.CreateChannelRequest{Name: "News", Type: contentv1.ChannelType_CHANNEL_TYPE_NEWS})
	if err != nil {
		t.Fatal(err)
	}
	return got.GetChannel().GetId()
}

func TestThereAreAtMost200Channels(t *testing.T) {
	client, _ := contents(t, openStore(t))
	for range content.MaxChannels {
		addChannel(t, client)
	}
	_, err := client.CreateChannel(editor(t), &contentv1.CreateChannelRequest{Name: "News", Type: contentv1.ChannelType_CHANNEL_TYPE_NEWS})
	wantCode(t, "one more", err, codes.FailedPrecondition, "there are 200 channels already, which is the most")
}

func TestAnArticleFromItsCreationOn(t *testing.T) {
	client, _ := contents(t, openStore(t))
	channel := addChannel(t, client)
	made, err := client.CreateArticle(editor(t), &contentv1.CreateArticleRequest{ChannelId: channel, Title: "x", ContentHtml: "<p onclick=x>y</p><script>z</script>", ContentJson: " null"})
	a := made.GetArticle()
	if err != nil || a.GetContentHtml() != "<p>y</p>" || a.GetContentJson() != "" || a.GetVersion() != 1 || a.GetCreatorId() != "user:carla" {
		t.Fatalf("it is %v, %v", a, err)
	}
	_, err = client.UnpublishArticle(editor(t), &contentv1.UnpublishArticleRequest{ArticleId: a.GetId()})
	wantCode(t, "a draft", err, codes.FailedPrecondition, "the article was never published")
	one, two := int64(1), int64(2)
	update := &contentv1.UpdateArticleRequest{ArticleId: a.GetId(), ChannelId: channel, Title: "y", Version: &two}
	_, err = client.UpdateArticle(editor(t), update)
	wantCode(t, "a stale version", err, codes.FailedPrecondition, "the article has been changed meanwhile: its version is 1")
	update.Version = &one
	if got, err := client.UpdateArticle(user(t, "ben", "content"), update); err != nil || got.GetArticle().GetVersion() != 2 || got.GetArticle().GetModifierId() != "user:ben" {
		t.Errorf("it is %v, %v", got, err)
	}
	_, err = client.ReadArticle(user(t, "amy"), &contentv1.ReadArticleRequest{ArticleId: a.GetId()})
	wantCode(t, "a draft", err, codes.NotFound, "there is no such article")
	if _, err := client.PublishArticle(editor(t), &contentv1.PublishArticleRequest{ArticleId: a.GetId()}); err != nil {
		t.Fatal(err)
	}
	if got, err := client.ReadArticle(user(t, "amy"), &contentv1.ReadArticleRequest{ArticleId: a.GetId()}); err != nil || got.GetArticle().GetTitle() != "y" || got.GetArticle().GetChannelName() != "News" {
		t.Errorf("it is %v, %v", got, err)
	}
}

func TestWhatIsWrongWithAnArticleIsNamed(t *testing.T) {
	client, _ := contents(t, openStore(t))
	channel := addChannel(t, client)
	for want, spoil := range map[string]func(*contentv1.CreateArticleRequest){
		"channel id must not be empty":                                               func(r *contentv1.CreateArticleRequest) { r.ChannelId = "" },
		"channel id must be that of a channel":                                       func(r *contentv1.CreateArticleRequest) { r.ChannelId = "x" },
		"title must not be empty":                                                    func(r *contentv1.CreateArticleRequest) { r.Title = " " },
		"summary must be at most 4096 characters":                                    func(r *contentv1.CreateArticleRequest) { r.Summary = strings.Repeat("x", 4097) },
		"content html must be at most 262144 bytes":                                  func(r *contentv1.CreateArticleRequest) { r.ContentHtml = strings.Repeat("x", 262_145) },
		"content html must not contain NUL":                                          func(r *contentv1.CreateArticleRequest) { r.ContentHtml = "\x00" },
		"content json must be JSON":                                                  func(r *contentv1.CreateArticleRequest) { r.ContentJson = "{" },
		"content json must be nested at most 64 deep":                                func(r *contentv1.CreateArticleRequest) { r.ContentJson = strings.Repeat("[", 65) },
		"content json must be at most 524288 bytes":                                  func(r *contentv1.CreateArticleRequest) { r.ContentJson = strings.Repeat(" ", 524_289) },
		"cover image url must be empty or /files/ with the id of a file":             func(r *contentv1.CreateArticleRequest) { r.CoverImageUrl = "/files/x" },
		"content html must be at most 262144 bytes once it is sanitised, not 300000": func(r *contentv1.CreateArticleRequest) { r.ContentHtml = strings.Repeat(`"`, 60_000) },
	} {
		in := &contentv1.CreateArticleRequest{ChannelId: channel, Title: "x"}
		spoil(in)
		_, err := client.CreateArticle(editor(t), in)
		wantCode(t, "create", err, codes.InvalidArgument, want)
	}
}

// TestOlderPoliciesAreMadeUpFor has articles of an older policy, which two replicas sanitise again when they start.
func TestOlderPoliciesAreMadeUpFor(t *testing.T) {
	store := openStore(t)
	client, service := contents(t, store)
	_, other := contents(t, store)
	channel := addChannel(t, client)
	const old, clean = `<p style="x">y</p>`, "<p>y</p>"
	for i := range 50 {
		p := content.CreateArticleParams{ID: fmt.Sprint(i), Policy: content.Policy - 1, Text: content.Text{ChannelID: channel, Title: "x", HTML: old}}
		p.By, p.Now = "user:ben", newClock().time()
		if created, err := store.CreateArticle(t.Context(), p); err != nil || !created {
			t.Fatal(created, err)
		}
	}
	// Before any pass readers and administrators get it sanitised.
	if _, err := client.PublishArticle(editor(t), &contentv1.PublishArticleRequest{ArticleId: "7"}); err != nil {
		t.Fatal(err)
	}
	if got, err := client.ReadArticle(user(t, "amy"), &contentv1.ReadArticleRequest{ArticleId: "7"}); err != nil || got.GetArticle().GetContentHtml() != clean {
		t.Errorf("before: %v, %v", got, err)
	}
	if got, err := client.GetArticle(editor(t), &contentv1.GetArticleRequest{ArticleId: "8"}); err != nil || got.GetArticle().GetContentHtml() != clean {
		t.Errorf("before: %v, %v", got, err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		for _, s := range []*portalhub.Service{service, other} {
			go func() { _ = s.Run(ctx) }()
		}
		synctest.Wait()
		cancel()
	})
	left, err := store.ListOutdated(t.Context(), content.Policy, 100)
	if err != nil || len(left) > 0 {
		t.Errorf("%d are left, %v", len(left), err)
	}
	for i := range 50 {
		a, err := store.GetArticle(t.Context(), content.GetParams{ID: fmt.Sprint(i)})
		if version := int64(1); err != nil || a.HTML != clean || a.Policy != content.Policy || i != 7 && a.Version != version || a.ModifierID != map[bool]string{true: "user:carla", false: "user:ben"}[i == 7] {
			t.Errorf("it is %+v, %v", a, err)
		}
	}
}

// TestFeedsAreForWhomTheirChannelsAre asks who sees channels for a department, a role and a user, and how soon a change
// of the directory counts.
func TestFeedsAreForWhomTheirChannelsAre(t *testing.T) {
	d := newDirectory(t, "HUB_USER_IDS=directory")
	client := d.content
	for id, parent := range map[string]string{"company": "", "sales": "company"} {
		if _, err := d.UpsertDepartment(d.feed(), &peoplev1.UpsertDepartmentRequest{DeptId: id, ParentId: parent, Name: id}); err != nil {
			t.Fatal(err)
		}
	}
	amy := &peoplev1.FeedUser{UserId: "u-1", Username: "amy", DeptId: "sales"}
	tell := func() {
		if _, err := d.UpsertUsers(d.feed(), &peoplev1.UpsertUsersRequest{Users: []*peoplev1.FeedUser{amy}}); err != nil {
			t.Fatal(err)
		}
	}
	tell()
	if _, err := d.UpsertRole(d.feed(), &peoplev1.UpsertRoleRequest{RoleId: "staff", Name: "x", UserIds: []string{"u-1"}}); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"", "dept:company", "dept:sales", "role:staff", "user:u-1", "dept:other", "role:sales", "user:amy"} {
		channel := &contentv1.CreateChannelRequest{Name: "x", Type: contentv1.ChannelType_CHANNEL_TYPE_NOTICE}
		if subject != "" {
			channel.VisibleFor = []string{"user:nobody", subject}
		}
		made, err := client.CreateChannel(editor(t), channel)
		if err != nil {
			t.Fatal(err)
		}
		a, err := client.CreateArticle(editor(t), &contentv1.CreateArticleRequest{ChannelId: made.GetChannel().GetId(), Title: "for " + subject})
		if err == nil {
			_, err = client.PublishArticle(editor(t), &contentv1.PublishArticleRequest{ArticleId: a.GetArticle().GetId()})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantFeed := func(username string, want ...string) {
		t.Helper()
		feed, err := client.ListFeed(user(t, username), &contentv1.ListFeedRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range feed.GetArticles() {
			got = append(got, strings.TrimPrefix(a.GetTitle(), "for "))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s sees %q, want %q", username, got, want)
		}
	}
	wantFeed("amy", "", "dept:company", "dept:sales", "role:staff", "user:u-1")
	wantFeed("ben", "")
	amy.DeptId = "company"
	tell()
	d.pass(visibility.Fresh - time.Nanosecond)
	wantFeed("amy", "", "dept:company", "dept:sales", "role:staff", "user:u-1")
	d.pass(time.Nanosecond)
	wantFeed("amy", "", "dept:company", "role:staff", "user:u-1")
}
