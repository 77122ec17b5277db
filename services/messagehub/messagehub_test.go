package messagehub_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/config"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/grpcserver"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/sqlite"
)

// tokens takes "<client id>/<scope>" for a token.
type tokens struct{}

func (tokens) Verify(_ context.Context, raw string) (auth.Principal, error) {
	client, scope, ok := strings.Cut(raw, "/")
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "the access token is not valid")
	}
	return auth.Principal{Client: client, Scopes: []string{scope}}, nil
}

type recordingBus struct{ events []bus.Event }

func (b *recordingBus) Publish(_ context.Context, f bus.Frame) {
	b.events = append(b.events, f.Events...)
}

func openStore(t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "inbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func defaults(t *testing.T) messagehub.Config {
	t.Helper()
	var c messagehub.Config
	if err := config.Load(&c, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// dial serves the message area in memory behind the interceptor that every binary uses.
func dial(t *testing.T, b bus.Publisher) messagev1.MessageServiceClient {
	t.Helper()
	c := defaults(t)
	c.URLSchemes = []string{"HTTPS"}
	service, err := messagehub.New(messagehub.Deps{
		Config: c, Store: openStore(t), Publisher: b,
		Clock: func() time.Time { return time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	local := grpcserver.NewLocal(grpcserver.Options{Verifier: tokens{}, Policy: service.Policy()})
	service.Register(local)
	if err := service.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	return messagev1.NewMessageServiceClient(local)
}

func as(t *testing.T, token string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
}

func TestAMessageFromPushToRead(t *testing.T) {
	b := &recordingBus{}
	client := dial(t, b)
	push := &messagev1.PushMessageRequest{
		SourceMessageId: "m1", TargetUsernames: []string{"zoe", "ann", "zoe"}, Title: "title", Content: "content",
		Actions: []*messagev1.MessageAction{{Label: "open", Url: "https://erp.example.com/1"}},
	}
	for _, want := range [][2]int32{{2, 0}, {0, 2}} {
		pushed, err := client.PushMessage(as(t, "erp/client"), push)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int32{pushed.GetCreated(), pushed.GetDuplicates()}; got != want {
			t.Errorf("created and duplicates are %v, want %v", got, want)
		}
	}
	listed, err := client.ListInbox(as(t, "portal/client"), &messagev1.ListInboxRequest{Username: new("ann")})
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.GetMessages()) != 1 || listed.GetMessages()[0].GetSourceAppId() != "erp" {
		t.Fatalf("inbox of ann: %v, want one message of erp", listed)
	}
	for _, want := range []int32{1, 0} {
		read, err := client.MarkRead(as(t, "portal/client"), &messagev1.MarkReadRequest{SourceMessageId: "m1", Username: "ann"})
		if err != nil || read.GetSwitched() != want {
			t.Errorf("mark read: %v, %v; want %d switched", read, err, want)
		}
	}
	for username, want := range map[string]int64{"ann": 0, "zoe": 1} {
		count, err := client.CountUnread(as(t, "portal/client"), &messagev1.CountUnreadRequest{Username: username})
		if err != nil || count.GetCount() != want {
			t.Errorf("unread of %s: %v, %v; want %d", username, count, err, want)
		}
	}

	var got []string
	for _, e := range b.events {
		got = append(got, map[bus.Kind]string{bus.Message: "message", bus.Read: "read"}[e.Kind]+" "+e.User)
	}
	if diff := cmp.Diff([]string{"message ann", "message zoe", "read ann"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if b.events[0].ID != listed.GetMessages()[0].GetId() || b.events[2].ID != "m1" {
		t.Errorf("event ids: %v, want the record's and the message's", b.events)
	}
}

func TestEveryMethodNeedsTheScopeClient(t *testing.T) {
	b := &recordingBus{}
	client := dial(t, b)
	for name, call := range map[string]func(ctx context.Context) error{
		"PushMessage": func(ctx context.Context) error {
			_, err := client.PushMessage(ctx, &messagev1.PushMessageRequest{
				SourceMessageId: "m1", TargetUsernames: []string{"ann"}, Title: "t", Content: "c",
			})
			return err
		},
		"ListInbox": func(ctx context.Context) error {
			_, err := client.ListInbox(ctx, &messagev1.ListInboxRequest{})
			return err
		},
		"CountUnread": func(ctx context.Context) error {
			_, err := client.CountUnread(ctx, &messagev1.CountUnreadRequest{Username: "ann"})
			return err
		},
		"MarkRead": func(ctx context.Context) error {
			_, err := client.MarkRead(ctx, &messagev1.MarkReadRequest{SourceMessageId: "m1", Username: "ann"})
			return err
		},
	} {
		for token, want := range map[string]codes.Code{
			"bad": codes.Unauthenticated, "limited/profile": codes.PermissionDenied, "erp/client": codes.OK,
		} {
			if got := status.Code(call(as(t, token))); got != want {
				t.Errorf("%s with the token %s: code %v, want %v", name, token, got, want)
			}
		}
	}
}

func TestURLSchemesAreComparedWithoutCase(t *testing.T) {
	client := dial(t, &recordingBus{})
	for url, want := range map[string]codes.Code{"https://a": codes.OK, "ftp://a": codes.InvalidArgument} {
		_, err := client.PushMessage(as(t, "erp/client"), &messagev1.PushMessageRequest{
			SourceMessageId: "m1", TargetUsernames: []string{"ann"}, Title: "t", Content: "c",
			Actions: []*messagev1.MessageAction{{Url: url}},
		})
		if got := status.Code(err); got != want {
			t.Errorf("%s: code %v, want %v", url, got, want)
		}
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	store := openStore(t)
	for name, d := range map[string]messagehub.Deps{
		"no store":     {Config: defaults(t), Publisher: &recordingBus{}},
		"no publisher": {Config: defaults(t), Store: store},
		"no config":    {Store: store, Publisher: &recordingBus{}},
	} {
		if _, err := messagehub.New(d); err == nil {
			t.Errorf("%s: New succeeded", name)
		}
	}
}

func TestConfig(t *testing.T) {
	var c messagehub.Config
	err := config.Load(&c, []string{
		"HUB_MAX_PAGE_SIZE=50", "HUB_MAX_TARGETS=7", "HUB_URL_SCHEMES=https,app", "HUB_LIST_TIMEOUT=300ms",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := messagehub.Config{
		MaxTargets: 7, Config: field.Config{
			PageConfig: field.PageConfig{MaxPageSize: 50}, URLSchemes: []string{"https", "app"}, ListTimeout: 300 * time.Millisecond,
		},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	want = messagehub.Config{MaxTargets: 10_000, Config: field.Config{PageConfig: field.PageConfig{MaxPageSize: 200}, ListTimeout: 2 * time.Second}}
	if diff := cmp.Diff(want, defaults(t)); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	err := config.Load(&messagehub.Config{}, []string{
		"HUB_MAX_PAGE_SIZE=0", "HUB_MAX_TARGETS=100001", "HUB_URL_SCHEMES=https,//", "HUB_LIST_TIMEOUT=0s",
	})
	if err == nil {
		t.Fatal("the settings were taken")
	}
	var names []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"HUB_LIST_TIMEOUT", "HUB_MAX_PAGE_SIZE", "HUB_MAX_TARGETS", "HUB_URL_SCHEMES"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("variables at fault (-want +got):\n%s\nof:\n%v", diff, err)
	}
}
