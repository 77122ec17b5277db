package grpcapi_test

import (
	"testing"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

func TestUserCallsForHerselfOnly(t *testing.T) {
	store := &scriptedStore{}
	s := serve(store)
	ctx := auth.With(t.Context(), auth.Principal{User: "amy", Permissions: []string{"messages"}})
	amy, start := "amy", ""
	page, err := s.ListInbox(ctx, &messagev1.ListInboxRequest{Username: &amy, PageToken: &start})
	if err != nil {
		t.Fatal(err)
	}
	store.calls = 0
	calls := map[string]func(username string) error{
		"ListInbox": func(username string) error {
			_, err := s.ListInbox(ctx, &messagev1.ListInboxRequest{Username: &username})
			return err
		},
		"CountUnread": func(username string) error {
			_, err := s.CountUnread(ctx, &messagev1.CountUnreadRequest{Username: username})
			return err
		},
		"MarkRead": func(username string) error {
			_, err := s.MarkRead(ctx, &messagev1.MarkReadRequest{SourceMessageId: "m1", Username: username})
			return err
		},
		"MarkAllRead": func(username string) error {
			_, err := s.MarkAllRead(ctx, &messagev1.MarkAllReadRequest{Username: username, UpTo: page.GetWatermark()})
			return err
		},
	}
	for name, call := range calls {
		for _, other := range []string{"ben", "Amy", "", "user:amy"} {
			if err := call(other); fault.KindOf(err) != fault.Forbidden {
				t.Errorf("%s of %q: %v, want a fault of kind Forbidden", name, other, err)
			}
		}
	}
	if _, err := s.ListInbox(ctx, &messagev1.ListInboxRequest{}); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("ListInbox of everybody: %v", err)
	}
	if store.calls != 0 {
		t.Errorf("the store was called %d times", store.calls)
	}
	for name, call := range calls {
		if err := call("amy"); err != nil {
			t.Errorf("%s of her own: %v", name, err)
		}
	}
	want := inbox.Stamp{ClientID: "user:amy", Now: now}
	equal(t, "who switched it", store.marked.Stamp, want)
	equal(t, "who switched all", store.markedAll.Stamp, want)
}
