package messagehub_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/store/pg"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/postgres"
)

var internalKey = strings.Repeat("k", 40)

// serve serves a message area in memory, with the internal key.
func serve(t *testing.T, d messagehub.Deps) (*messagehub.Service, *grpcserver.Local) {
	t.Helper()
	d.Config, d.Logger = defaults(t), slog.New(slog.DiscardHandler)
	service, err := messagehub.New(d)
	if err != nil {
		t.Fatal(err)
	}
	key, err := internalkey.New(internalKey)
	if err != nil {
		t.Fatal(err)
	}
	local := grpcserver.NewLocal(grpcserver.Options{
		Verifier: tokens{}, Edges: grpcserver.Edges{Key: key}, Policy: service.Policy(), Logger: slog.New(slog.DiscardHandler),
	})
	service.Register(local)
	return service, local
}

func push(id string, users ...string) *messagev1.PushMessageRequest {
	return &messagev1.PushMessageRequest{SourceMessageId: id, TargetUsernames: users, Title: "t", Content: "c"}
}

func TestEventsAreForEdgesOnly(t *testing.T) {
	_, local := serve(t, messagehub.Deps{Store: openStore(t), Publisher: &recordingBus{}})
	edge, client := eventv1.NewEventServiceClient(local), messagev1.NewMessageServiceClient(local)
	for name, call := range map[string]func(ctx context.Context) error{
		"ListEvents": func(ctx context.Context) error {
			_, err := edge.ListEvents(ctx, &eventv1.ListEventsRequest{})
			return err
		},
		"GetNewestRecord": func(ctx context.Context) error {
			_, err := edge.GetNewestRecord(ctx, &eventv1.GetNewestRecordRequest{Username: "ann"})
			return err
		},
	} {
		for token, want := range map[string]codes.Code{
			"bad": codes.Unauthenticated, "erp/client": codes.PermissionDenied, internalKey + "k": codes.Unauthenticated,
			internalKey: codes.OK,
		} {
			if got := status.Code(call(as(t, token))); got != want {
				t.Errorf("%s with the token %s: code %v, want %v", name, token, got, want)
			}
		}
		if got := status.Code(call(t.Context())); got != codes.Unauthenticated {
			t.Errorf("%s without a token: code %v", name, got)
		}
	}
	if _, err := client.PushMessage(as(t, internalKey), push("m1", "ann")); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a push with the internal key: %v, want PermissionDenied", err)
	}
}

// A user's own call goes the whole way: the metadata of an edge, the rule, the store.
func TestUserReadsHerOwnMessage(t *testing.T) {
	_, local := serve(t, messagehub.Deps{Store: openStore(t), Publisher: &recordingBus{}})
	client := messagev1.NewMessageServiceClient(local)
	if _, err := client.PushMessage(as(t, "erp/client"), push("m1", "amy", "ben")); err != nil {
		t.Fatal(err)
	}
	amy := metadata.AppendToOutgoingContext(as(t, internalKey), "hub-user", "amy")
	if _, err := client.PushMessage(amy, push("m2", "amy")); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a push of a user: %v, want PermissionDenied", err)
	}
	read := &messagev1.MarkReadRequest{SourceMessageId: "m1", Username: "ben"}
	if _, err := client.MarkRead(amy, read); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a read of another's message: %v, want PermissionDenied", err)
	}
	read.Username = "amy"
	if switched, err := client.MarkRead(amy, read); err != nil || switched.GetSwitched() != 1 {
		t.Fatalf("a read of her own message: %v, %v", switched, err)
	}
	listed, err := client.ListInbox(amy, &messagev1.ListInboxRequest{Username: new("amy")})
	if err != nil || len(listed.GetMessages()) != 1 {
		t.Fatalf("%v, %v", listed, err)
	}
	if m := listed.GetMessages()[0]; m.GetModifierId() != "user:amy" || m.GetCreatorId() != "erp" {
		t.Errorf("the record is by %q, changed by %q", m.GetCreatorId(), m.GetModifierId())
	}
}

func TestEventsWithoutALog(t *testing.T) {
	service, local := serve(t, messagehub.Deps{Store: openStore(t), Publisher: &recordingBus{}})
	edge, client := eventv1.NewEventServiceClient(local), messagev1.NewMessageServiceClient(local)
	for _, id := range []string{"m1", "m2"} {
		if _, err := client.PushMessage(as(t, "erp/client"), push(id, "ann", "bob")); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := edge.ListEvents(as(t, internalKey), &eventv1.ListEventsRequest{RecentSeconds: 600})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&eventv1.ListEventsResponse{}, listed, protocmp.Transform()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	inbox, err := client.ListInbox(as(t, "portal/client"), &messagev1.ListInboxRequest{Username: new("bob")})
	if err != nil {
		t.Fatal(err)
	}
	for username, want := range map[string]string{"bob": inbox.GetMessages()[0].GetId(), "nobody": ""} {
		newest, err := edge.GetNewestRecord(as(t, internalKey), &eventv1.GetNewestRecordRequest{Username: username})
		if err != nil || newest.GetId() != want {
			t.Errorf("newest record of %s: %v, %v; want %q", username, newest, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := service.Run(ctx); err != nil {
		t.Errorf("run: %v", err)
	}
	if got, want := service.Stats(), (messagehub.Stats{Announced: 2}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

func TestEventRequestsAreChecked(t *testing.T) {
	_, local := serve(t, messagehub.Deps{Store: openStore(t), Publisher: &recordingBus{}})
	edge := eventv1.NewEventServiceClient(local)
	for _, seconds := range []int32{-1, 601} {
		_, err := edge.ListEvents(as(t, internalKey), &eventv1.ListEventsRequest{RecentSeconds: seconds})
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("the last %d seconds: %v", seconds, err)
		}
	}
	for _, username := range []string{"", " ", "a\nb"} {
		_, err := edge.GetNewestRecord(as(t, internalKey), &eventv1.GetNewestRecordRequest{Username: username})
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("newest record of %q: %v", username, err)
		}
	}
}

func TestNewNeedsASubscriberForItsLog(t *testing.T) {
	store, err := postgres.Open(t.Context(), pg.Deps{Config: pg.Config{URL: "postgres://127.0.0.1:1/hub", MaxConns: 1, AcquireTimeout: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, err = messagehub.New(messagehub.Deps{Config: defaults(t), Store: store, Log: store, Publisher: &recordingBus{}})
	if err == nil {
		t.Error("it was made")
	}
}
