package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/file"
)

// fileHub stands in for the files of portalhub: each stream has these answers, and then this end.
type fileHub struct {
	grpc.ClientConnInterface
	answers []proto.Message
	end     error
}

func (h *fileHub) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return &fileStream{answers: h.answers, end: h.end}, nil
}

type fileStream struct {
	grpc.ClientStream
	answers []proto.Message
	end     error
}

func (*fileStream) SendMsg(any) error            { return nil }
func (*fileStream) CloseSend() error             { return nil }
func (*fileStream) Header() (metadata.MD, error) { return nil, nil }

func (s *fileStream) RecvMsg(m any) error {
	if len(s.answers) == 0 {
		return s.end
	}
	proto.Merge(m.(proto.Message), s.answers[0])
	s.answers = s.answers[1:]
	return nil
}

// withFiles has files and nothing else.
func withFiles(h *fileHub) func(*rest.Deps) {
	return func(d *rest.Deps) {
		c := file.Config{Timeout: time.Minute}
		c.MaxUpload = 10 << 20
		d.Areas = []rest.Area{file.Area(file.Deps{Config: c, Hub: h, Patience: time.Minute})}
	}
}

var aFile = &contentv1.File{Id: strings.Repeat("0", 32), Type: contentv1.FileType_FILE_TYPE_PNG, Size: 6, Name: "a.png"}

// TestAFailureIsNotKeptAsTheFile has the bytes of a file fail before the first of them is sent.
func TestAFailureIsNotKeptAsTheFile(t *testing.T) {
	h := &fileHub{
		answers: []proto.Message{&contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_File{File: aFile}}},
		end:     status.Error(codes.Unavailable, "the file cannot be read at the moment"),
	}
	w := newFront(t, asAdmin, withFiles(h)).send(t, http.MethodGet, "/files/"+aFile.GetId(), "")
	wantFailure(t, w, http.StatusServiceUnavailable)
	wantHeader(t, w, "Cache-Control", "no-store")
	for _, name := range []string{"ETag", "Content-Disposition", "Content-Security-Policy"} {
		wantHeader(t, w, name, "")
	}
}

func TestAFileIsSentInItsParts(t *testing.T) {
	h := &fileHub{end: io.EOF, answers: []proto.Message{&contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_File{File: aFile}}}}
	for _, part := range []string{"abc", "def"} {
		h.answers = append(h.answers, &contentv1.DownloadFileResponse{Part: &contentv1.DownloadFileResponse_Chunk{Chunk: []byte(part)}})
	}
	w := newFront(t, asAdmin, withFiles(h)).send(t, http.MethodGet, "/files/"+aFile.GetId(), "")
	if w.Code != http.StatusOK || w.Body.String() != "abcdef" {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	wantHeader(t, w, "Content-Length", "6")
	wantHeader(t, w, "Content-Type", "image/png")
}

func TestAnUploadNamesItsFileInItsLine(t *testing.T) {
	f := newFront(t, asAdmin, withFiles(&fileHub{answers: []proto.Message{&contentv1.UploadFileResponse{File: aFile}}, end: io.EOF}))
	const body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\nabcdef\r\n--b--\r\n"
	if w := f.send(t, http.MethodPost, "/portal/admin/files/upload", body, "Content-Type", "multipart/form-data; boundary=b"); w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	lines := f.audits(t)
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	if ids, err := json.Marshal(lines[0]["ids"]); err != nil || string(ids) != `{"file_id":"`+aFile.GetId()+`"}` {
		t.Errorf("%s, %v", ids, err)
	}
	if strings.Contains(f.log.String(), "a.png") {
		t.Error("the name of the file is in the log")
	}
}

// held is a body that does not come before it is let go.
type held struct {
	begun chan<- struct{}
	until <-chan struct{}
}

func (h held) Read([]byte) (int, error) {
	select {
	case h.begun <- struct{}{}:
	case <-h.until:
	}
	<-h.until
	return 0, io.EOF
}

// TestOneUploadTooManyIsHeardToItsEnd has a client that reads no answer before it has sent everything.
func TestOneUploadTooManyIsHeardToItsEnd(t *testing.T) {
	const path, kind = "/portal/admin/files/upload", "multipart/form-data; boundary=b"
	f := newFront(t, asAdmin, withFiles(&fileHub{}))
	begun, until := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(until)
	for range 24 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, held{begun, until})
		r.Header.Set("Content-Type", kind)
		all.Go(func() { f.ServeHTTP(httptest.NewRecorder(), r) })
		<-begun
	}
	server := httptest.NewServer(f)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	body := make([]byte, 10<<20) // more than the sockets take
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", path, kind, len(body)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(body); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the answer is %d", answer.StatusCode)
	}
}
