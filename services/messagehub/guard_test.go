package messagehub_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"example.com/hub/pkg/grpcserver"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub"
)

// listen serves the message area over TCP, as the binary messagehub does.
func listen(t *testing.T) (*grpc.ClientConn, messagehub.Config) {
	t.Helper()
	c := defaults(t)
	service, err := messagehub.New(messagehub.Deps{Config: c, Store: openStore(t), Publisher: &recordingBus{}})
	if err != nil {
		t.Fatal(err)
	}
	s := grpcserver.New(grpcserver.Options{
		Verifier: tokens{}, Policy: service.Policy(), MaxReceiveBytes: c.MaxReceive(), Entries: service.Entries(),
		Logger: slog.New(slog.DiscardHandler),
	})
	service.Register(s)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = s.Stop(t.Context()) // which has ended
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return conn, c
}

// raw is a codec for requests that are bytes already; nobody looks at the answers.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (raw) Unmarshal(mem.BufferSlice, any) error { return nil }

// entries is a push of six million bytes that holds one field, empty, again and again.
func entries(field protoreflect.Name) []byte {
	number := (&messagev1.PushMessageRequest{}).ProtoReflect().Descriptor().Fields().ByName(field).Number()
	entry := protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), nil)
	return bytes.Repeat(entry, 6_000_000/len(entry))
}

// TestLargeListsTakeNoMemory makes eight calls at once with lists that decode to 40 times their length.
func TestLargeListsTakeNoMemory(t *testing.T) {
	const calls = 8
	conn, config := listen(t)
	if limit := config.MaxReceive(); limit < 6_000_000 {
		t.Fatalf("requests of 6 MB are refused for their length: the limit is %d bytes", limit)
	}
	for _, tt := range []struct {
		name  string
		token string
		field protoreflect.Name
		most  uint64 // MiB allocated, of which the messages themselves, where they are read, are some 100
		want  string
	}{
		{"without a token", "", "actions", 16, "an access token is needed"},
		{"with a wrong token", "wrong", "actions", 16, "the access token is not valid"},
		{"actions", "erp/client", "actions", 200, "actions must have at most 20 entries"},
		{"targets", "erp/client", "target_usernames", 200, "target usernames must have at most 10000 entries"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if tt.token != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+tt.token)
			}
			request := entries(tt.field)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var done sync.WaitGroup
			for range calls {
				done.Go(func() {
					err := conn.Invoke(ctx, messagev1.MessageService_PushMessage_FullMethodName, request, nil, grpc.ForceCodecV2(raw{}))
					if st := status.Convert(err); st.Message() != tt.want || st.Code() != codes.Unauthenticated && st.Code() != codes.InvalidArgument {
						t.Errorf("got %v, want %q", err, tt.want)
					}
				})
			}
			done.Wait()
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%d calls allocated %d MiB", calls, allocated)
			if allocated > tt.most {
				t.Errorf("%d calls allocated %d MiB, want at most %d", calls, allocated, tt.most)
			}
		})
	}
}

func TestEveryListInARequestHasALimit(t *testing.T) {
	service, err := messagehub.New(messagehub.Deps{Config: defaults(t), Store: openStore(t), Publisher: &recordingBus{}})
	if err != nil {
		t.Fatal(err)
	}
	limits := service.Entries()
	var lists int
	var look func(m protoreflect.MessageDescriptor)
	look = func(m protoreflect.MessageDescriptor) {
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			if f.Cardinality() == protoreflect.Repeated {
				lists++
				if limits[f.FullName()] == 0 {
					t.Errorf("%s has no limit", f.FullName())
				}
			}
			if f.Message() != nil {
				look(f.Message())
			}
		}
	}
	for _, file := range []protoreflect.FileDescriptor{
		messagev1.File_hub_message_v1_message_proto, messagev1.File_hub_message_v1_admin_proto, eventv1.File_hub_event_v1_event_proto,
	} {
		methods := file.Services().Get(0).Methods()
		for i := range methods.Len() {
			look(methods.Get(i).Input())
		}
	}
	if lists != len(limits) {
		t.Errorf("%d lists in requests, %d limits", lists, len(limits))
	}
}
