package grpcserver_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
)

// files is a service whose methods are what a test makes them.
type files struct {
	contentv1.UnimplementedFileServiceServer
	upload   func(grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error
	download func(*contentv1.DownloadFileRequest, grpc.ServerStreamingServer[contentv1.DownloadFileResponse]) error
}

func (s *files) UploadFile(in grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
	return s.upload(in)
}

func (s *files) DownloadFile(in *contentv1.DownloadFileRequest, out grpc.ServerStreamingServer[contentv1.DownloadFileResponse]) error {
	return s.download(in, out)
}

// onEachStream runs f with svc behind a listening server and behind one in memory: callers must not be able to
// tell them apart. Uploads are for clients with the scope, downloads for nobody, and there is one write a second.
func onEachStream(t *testing.T, svc *files, f func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient)) {
	t.Helper()
	configured := func() grpcserver.Options {
		o := limited()
		o.Policy = auth.Policy{contentv1.FileService_UploadFile_FullMethodName: {Scope: auth.ScopeClient}}
		if svc.download != nil {
			o.Policy[contentv1.FileService_DownloadFile_FullMethodName] = auth.Rule{Scope: auth.ScopeClient}
		}
		o.Charges = ratelimit.Charges{contentv1.FileService_UploadFile_FullMethodName: {Area: ratelimit.Writes}}
		return o
	}
	run := func(t *testing.T, c grpc.ClientConnInterface) {
		t.Helper()
		ctx, cancel := context.WithTimeout(withAuthorization(t.Context(), "Bearer good"), 10*time.Second)
		defer cancel()
		f(ctx, t, contentv1.NewFileServiceClient(c))
	}
	t.Run("listening", func(t *testing.T) {
		s := grpcserver.New(configured())
		contentv1.RegisterFileServiceServer(s, svc)
		run(t, dial(t, s))
	})
	t.Run("local", func(t *testing.T) {
		s := grpcserver.NewLocal(configured())
		contentv1.RegisterFileServiceServer(s, svc)
		run(t, s)
	})
}

// collect answers the length of what came, once all of it has come.
func collect(in grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
	name, size := "", 0
	for {
		switch m, err := in.Recv(); {
		case errors.Is(err, io.EOF):
			_ = in.SetHeader(metadata.Pairs("h", "1"))
			in.SetTrailer(metadata.Pairs("t", "2"))
			return in.SendAndClose(&contentv1.UploadFileResponse{File: &contentv1.File{Name: name, Size: int64(size)}})
		case err != nil:
			return err
		default:
			name += m.GetName()
			size += len(m.GetChunk())
		}
	}
}

func chunk(b []byte) *contentv1.UploadFileRequest {
	return &contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Chunk{Chunk: b}}
}

func TestStreamOfAClientIsAnswered(t *testing.T) {
	onEachStream(t, &files{upload: collect}, func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient) {
		stream, err := c.UploadFile(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Name{Name: "a"}}); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 1000)
		for range 20 {
			if err := stream.Send(chunk(buffer)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := stream.CloseAndRecv()
		if err != nil || got.GetFile().GetSize() != 20_000 || got.GetFile().GetName() != "a" {
			t.Errorf("answer is %v, %v", got, err)
		}
		header, err := stream.Header()
		if err != nil || len(header.Get("h")) != 1 || len(header.Get("ratelimit")) != 1 || len(stream.Trailer().Get("t")) != 1 {
			t.Errorf("header %v, %v, trailer %v", header, err, stream.Trailer())
		}
	})
}

// TestSentMessagesAreTheReaders has a client change its buffer as soon as a message is sent.
func TestSentMessagesAreTheReaders(t *testing.T) {
	var got []*contentv1.UploadFileRequest
	svc := &files{upload: func(in grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
		for {
			m, err := in.Recv()
			if errors.Is(err, io.EOF) {
				return in.SendAndClose(&contentv1.UploadFileResponse{})
			}
			if err != nil {
				return err
			}
			got = append(got, m)
		}
	}}
	onEachStream(t, svc, func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient) {
		got = nil
		stream, err := c.UploadFile(ctx)
		if err != nil {
			t.Fatal(err)
		}
		buffer := []byte{0}
		for i := range byte(5) {
			buffer[0] = i
			if err := stream.Send(chunk(buffer)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := stream.CloseAndRecv(); err != nil {
			t.Fatal(err)
		}
		for i, m := range got {
			if len(m.GetChunk()) != 1 || int(m.GetChunk()[0]) != i {
				t.Errorf("message %d is %v", i, m)
			}
		}
		if len(got) != 5 {
			t.Errorf("there are %d messages", len(got))
		}
	})
}

func TestStreamsAreRefusedAsCallsAre(t *testing.T) {
	over := &files{upload: func(grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
		return fault.Field("type", "type must be known")
	}}
	onEachStream(t, over, func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient) {
		codeOf := func(ctx context.Context) *status.Status {
			stream, err := c.UploadFile(ctx)
			if err != nil {
				t.Fatal(err)
			}
			_, err = stream.CloseAndRecv()
			return status.Convert(err)
		}
		if st := codeOf(ctx); st.Code() != codes.InvalidArgument || st.Message() != "type must be known" || len(st.Details()) != 1 {
			t.Errorf("a fault is %v", st)
		}
		if st := codeOf(withAuthorization(t.Context(), "Bearer bad")); st.Code() != codes.Unauthenticated {
			t.Errorf("a bad token is %v", st)
		}
		if st := codeOf(withAuthorization(t.Context(), "Bearer profile")); st.Code() != codes.PermissionDenied {
			t.Errorf("a token without the scope is %v", st)
		}
		for range 3 {
			codeOf(ctx)
		}
		if st := codeOf(ctx); st.Code() != codes.ResourceExhausted {
			t.Errorf("over the limit it is %v", st)
		}
		answers, err := c.DownloadFile(ctx, &contentv1.DownloadFileRequest{})
		if err == nil {
			_, err = answers.Recv()
		}
		if status.Code(err) != codes.PermissionDenied {
			t.Errorf("a method that is not listed: %v", err)
		}
	})
}

// TestSendingEndsWithTheHandler has a client that goes on sending to a handler which has refused it.
func TestSendingEndsWithTheHandler(t *testing.T) {
	svc := &files{upload: func(in grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
		_, err := in.Recv()
		return errors.Join(err, fault.New(fault.Conflict, "enough"))
	}}
	onEachStream(t, svc, func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient) {
		stream, err := c.UploadFile(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			err = stream.Send(chunk(make([]byte, 1000)))
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("sending ends with %v", err)
		}
		if _, err := stream.CloseAndRecv(); status.Code(err) != codes.FailedPrecondition {
			t.Errorf("it is %v", err)
		}
	})
}

func TestStreamOfAServer(t *testing.T) {
	svc := &files{download: func(in *contentv1.DownloadFileRequest, out grpc.ServerStreamingServer[contentv1.DownloadFileResponse]) error {
		for i := range 3 {
			if err := out.Send(&contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_File{File: &contentv1.File{Id: in.GetId(), Size: int64(i)}}}); err != nil {
				return err
			}
		}
		if in.GetId() == "bad" {
			return fault.New(fault.Unavailable, "away")
		}
		return nil
	}}
	onEachStream(t, svc, func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient) {
		for id, want := range map[string]codes.Code{"good": codes.OK, "bad": codes.Unavailable} {
			answers, err := c.DownloadFile(ctx, &contentv1.DownloadFileRequest{Id: id})
			if err != nil {
				t.Fatal(err)
			}
			count := int64(0)
			for {
				m, err := answers.Recv()
				if errors.Is(err, io.EOF) && want == codes.OK || err != nil && want != codes.OK && status.Code(err) == want {
					break
				}
				if err != nil || m.GetFile().GetSize() != count || m.GetFile().GetId() != id {
					t.Fatalf("answer %d is %v, %v", count, m, err)
				}
				count++
			}
			if count != 3 {
				t.Errorf("%d answers", count)
			}
		}
	})
}

// TestHandlersEndWithTheirCaller has a caller that goes away while the handler reads, and while it sends.
func TestHandlersEndWithTheirCaller(t *testing.T) {
	ended := make(chan error, 1)
	begun := make(chan struct{}, 1)
	svc := &files{
		upload: func(in grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
			_, err := in.Recv()
			begun <- struct{}{}
			for err == nil {
				_, err = in.Recv()
			}
			ended <- err
			return err
		},
		download: func(_ *contentv1.DownloadFileRequest, out grpc.ServerStreamingServer[contentv1.DownloadFileResponse]) (err error) {
			begun <- struct{}{}
			for err == nil {
				err = out.Send(&contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_Chunk{Chunk: make([]byte, 1000)}})
			}
			ended <- err
			return err
		},
	}
	onEachStream(t, svc, func(ctx context.Context, t *testing.T, c contentv1.FileServiceClient) {
		first, cancel := context.WithCancel(ctx)
		stream, err := c.UploadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(chunk([]byte("x"))); err != nil {
			t.Fatal(err)
		}
		<-begun
		cancel()
		if err := <-ended; err == nil || errors.Is(err, io.EOF) {
			t.Errorf("reading ends with %v", err)
		}
		if _, err := stream.CloseAndRecv(); status.Code(err) != codes.Canceled {
			t.Errorf("the caller is told %v", err)
		}
		second, cancel := context.WithCancel(ctx)
		if _, err := c.DownloadFile(second, &contentv1.DownloadFileRequest{}); err != nil {
			t.Fatal(err)
		}
		<-begun
		cancel()
		if err := <-ended; err == nil {
			t.Error("sending did not end")
		}
	})
}
