package messagehub_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/retention"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub"
)

// TestReadRecordsGoWhenTheyAreOld lets two days pass for a record that was read and one that was not.
func TestReadRecordsGoWhenTheyAreOld(t *testing.T) {
	const day = retention.Age(24 * time.Hour)
	for name, tt := range map[string]struct {
		keep retention.Age
		want int64
	}{"a day": {day, 1}, "three days": {3 * day, 2}, "for ever": {0, 2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := defaults(t)
				c.Retention = tt.keep
				events := &recordingBus{}
				service, err := messagehub.New(messagehub.Deps{Config: c, Store: openStore(t), Publisher: events})
				if err != nil {
					t.Fatal(err)
				}
				local := grpcserver.NewLocal(grpcserver.Options{Verifier: tokens{}, Policy: service.Policy()})
				service.Register(local)
				client := messagev1.NewMessageServiceClient(local)
				for _, id := range []string{"read", "unread"} {
					if _, err := client.PushMessage(as(t, "erp/client"), push(id, "ann")); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := client.MarkRead(as(t, "portal/client"), &messagev1.MarkReadRequest{SourceMessageId: "read", Username: "ann"}); err != nil {
					t.Fatal(err)
				}
				told := len(events.events)
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				defer cancel()
				if err := service.Run(ctx); err != nil {
					t.Error(err)
				}
				inbox, err := client.ListInbox(as(t, "portal/client"), &messagev1.ListInboxRequest{})
				if err != nil {
					t.Fatal(err)
				}
				if n := inbox.GetTotalCount(); n != tt.want {
					t.Errorf("%d records are left, want %d", n, tt.want)
				}
				if n := len(events.events) - told; n != 0 {
					t.Errorf("the removal was announced with %d events", n)
				}
			})
		})
	}
}
