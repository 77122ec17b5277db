package edge

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
)

// recorder keeps the metadata of the last call.
type recorder struct{ sent metadata.MD }

func (r *recorder) Invoke(ctx context.Context, _ string, _, _ any, _ ...grpc.CallOption) error {
	r.sent, _ = metadata.FromOutgoingContext(ctx)
	return nil
}

func (r *recorder) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	r.sent, _ = metadata.FromOutgoingContext(ctx)
	return nil, nil
}

func TestEdgeSpeaksForUsersWithItsOwnCredential(t *testing.T) {
	came := metadata.Pairs("authorization", "Bearer of-the-caller", "x-request-id", "r1")
	amy := auth.Principal{User: "\u00e4my", Permissions: []string{"todos", "apps"}}
	for name, tt := range map[string]struct {
		key       string
		principal auth.Principal
		want      metadata.MD
	}{
		"a client": {"key", auth.Principal{Client: "erp"}, came},
		"nobody":   {"key", auth.Principal{}, came},
		"a user": {"key", amy, metadata.Pairs(
			"authorization", "Bearer key", "x-request-id", "r1", "hub-user", "%C3%A4my", "hub-permissions", "todos,apps")},
		"a user, by certificate": {"", auth.Principal{User: "amy"}, metadata.Pairs("x-request-id", "r1", "hub-user", "amy")},
	} {
		ctx := auth.With(metadata.NewOutgoingContext(t.Context(), came), tt.principal)
		to := &recorder{}
		hub := forUsers{to, tt.key}
		if err := hub.Invoke(ctx, "/m", nil, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, to.sent); diff != "" {
			t.Errorf("%s, call: %s", name, diff)
		}
		to.sent = nil
		if _, err := hub.NewStream(ctx, nil, "/m"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, to.sent); diff != "" {
			t.Errorf("%s, stream: %s", name, diff)
		}
	}
}
