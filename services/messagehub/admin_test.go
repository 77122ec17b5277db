package messagehub_test

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/bus"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub"
)

// asUser is a call that an edge makes for a user.
func asUser(t *testing.T, username string, permissions ...string) context.Context {
	t.Helper()
	said := onbehalf.Encode(auth.Principal{User: username, Permissions: permissions})
	said["authorization"] = "Bearer " + internalKey
	return metadata.NewOutgoingContext(t.Context(), metadata.New(said))
}

func TestAdminCallsAreForAdministratorsAlone(t *testing.T) {
	_, local := serve(t, messagehub.Deps{Store: openStore(t), Publisher: &recordingBus{}})
	admin := messagev1.NewInboxAdminServiceClient(local)
	for name, call := range map[string]func(ctx context.Context) error{
		"SearchInbox": func(ctx context.Context) error {
			_, err := admin.SearchInbox(ctx, &messagev1.SearchInboxRequest{})
			return err
		},
		"AdminMarkRead": func(ctx context.Context) error {
			_, err := admin.AdminMarkRead(ctx, &messagev1.AdminMarkReadRequest{SourceMessageId: "m1", Username: "ann"})
			return err
		},
	} {
		for want, callers := range map[codes.Code]map[string]context.Context{
			codes.Unauthenticated: {
				"nobody":             t.Context(),
				"a user who says it": metadata.AppendToOutgoingContext(t.Context(), onbehalf.User, "amy", onbehalf.Permissions, "messages"),
			},
			codes.PermissionDenied: {
				"a client":               as(t, "erp/client"),
				"a client with its name": as(t, "erp/messages"),
				"an edge for itself":     as(t, internalKey),
				"a user":                 asUser(t, "amy"),
				"a user with all others": asUser(t, "amy", "apps", "content", "directory", "todos"),
			},
			codes.OK: {
				"a user with the permission":  asUser(t, "carla", "messages"),
				"a user with it among others": asUser(t, "carla", "apps", "messages"),
			},
		} {
			for who, ctx := range callers {
				if got := status.Code(call(ctx)); got != want {
					t.Errorf("%s by %s: %v, want %v", name, who, got, want)
				}
			}
		}
	}
}

func TestAdministratorsReadForOthers(t *testing.T) {
	heard := &recordingBus{}
	_, local := serve(t, messagehub.Deps{Store: openStore(t), Publisher: heard})
	if _, err := messagev1.NewMessageServiceClient(local).PushMessage(as(t, "erp/client"), push("m1", "ann", "bob")); err != nil {
		t.Fatal(err)
	}
	heard.events = nil
	admin, ctx := messagev1.NewInboxAdminServiceClient(local), asUser(t, "carla", "messages")
	read, err := admin.AdminMarkRead(ctx, &messagev1.AdminMarkReadRequest{SourceMessageId: "m1", Username: "ann"})
	if err != nil || read.GetSwitched() != 1 {
		t.Fatalf("read %v, %v", read, err)
	}
	if len(heard.events) != 1 || heard.events[0].Kind != bus.Read || heard.events[0].User != "ann" || heard.events[0].ID != "m1" {
		t.Errorf("published %+v, want that ann has read m1", heard.events)
	}
	found, err := admin.SearchInbox(ctx, &messagev1.SearchInboxRequest{
		Status: messagev1.MessageStatus_MESSAGE_STATUS_READ, Users: &messagev1.InboxUsers{Usernames: []string{"ann", "bob"}, ChosenBy: "x"},
	})
	if err != nil || len(found.GetMessages()) != 1 || found.GetMessages()[0].GetModifierId() != "user:carla" || found.GetSize() != 20 {
		t.Errorf("found %v, %v", found, err)
	}
}
