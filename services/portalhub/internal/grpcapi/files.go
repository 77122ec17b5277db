package grpcapi

import (
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/portalhub/internal/file"
)

// Files is a contentv1.FileServiceServer. Every call is for a user, who is in its context, and the policy must
// have asked for the permission. Its errors are faults.
type Files struct {
	contentv1.UnimplementedFileServiceServer

	service *file.Service
}

// NewFiles makes a Files.
func NewFiles(s *file.Service) *Files { return &Files{service: s} }

// UploadFile stores a file.
func (s *Files) UploadFile(in grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]) error {
	caller, err := auth.Require(in.Context())
	if err != nil {
		return err
	}
	first, err := in.Recv()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	name, ok := first.GetPart().(*contentv1.UploadFileRequest_Name)
	if !ok {
		return fault.Field("name", "name must come first")
	}
	f, err := s.service.Upload(in.Context(), caller.Name(), name.Name, &chunks{in: in})
	if err != nil {
		return err
	}
	return in.SendAndClose(&contentv1.UploadFileResponse{File: fileMessage(&f)})
}

// chunks reads the bytes of an upload.
type chunks struct {
	in   grpc.ClientStreamingServer[contentv1.UploadFileRequest, contentv1.UploadFileResponse]
	rest []byte
}

// Read implements io.Reader.
func (c *chunks) Read(b []byte) (int, error) {
	for len(c.rest) == 0 {
		m, err := c.in.Recv()
		if err != nil {
			return 0, err
		}
		chunk, ok := m.GetPart().(*contentv1.UploadFileRequest_Chunk)
		if !ok || len(chunk.Chunk) > file.ChunkBytes {
			return 0, fault.Field("chunk", "chunk must be there, with at most 65536 bytes")
		}
		c.rest = chunk.Chunk
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// DownloadFile answers a file.
func (s *Files) DownloadFile(in *contentv1.DownloadFileRequest, out grpc.ServerStreamingServer[contentv1.DownloadFileResponse]) error {
	f, body, err := s.service.Open(out.Context(), in.GetId())
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	if err := out.Send(&contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_File{File: fileMessage(&f)}}); err != nil {
		return err
	}
	buffer := make([]byte, min(file.ChunkBytes, f.Size))
	for left := f.Size; left > 0; {
		n, err := io.ReadFull(body, buffer[:min(left, int64(len(buffer)))])
		if err != nil {
			return fault.Wrap(fault.Unavailable, "the file cannot be read at the moment", err)
		}
		left -= int64(n)
		if err := out.Send(&contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_Chunk{Chunk: buffer[:n]}}); err != nil {
			return err
		}
	}
	return nil
}

func fileMessage(f *file.File) *contentv1.File {
	return &contentv1.File{
		Id: f.ID, Type: contentv1.FileType(f.Type), Size: f.Size, Name: f.Name,
		CreateTime: timestamppb.New(f.CreateTime), CreatorId: f.CreatorID,
	}
}
