package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/telemetry/requestid"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/rest"
)

const (
	// chunkBytes is the part in which the bytes of a file travel; portalhub takes no larger one.
	chunkBytes = 64 << 10
	// answerTime is what is left for the answer when a file took all of its time.
	answerTime = 10 * time.Second
)

var (
	errBusy = front.Failure{Status: http.StatusServiceUnavailable, Msg: "too many files are on their way, try again later"}
	errNone = front.Failure{Status: http.StatusServiceUnavailable, Msg: "this Hub keeps no files"}
)

// uploaded is the answer to an upload.
type uploaded struct {
	ID   string `json:"id"`
	URL  string `json:"url"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// upload stores the file of a form. What is wrong with it ends the call to portalhub, which then keeps nothing.
func (a area) upload(w http.ResponseWriter, r *http.Request) error {
	until := time.Now().Add(a.config.Timeout)
	front.SetReadDeadline(w, until)
	front.SetWriteDeadline(w, until.Add(answerTime))
	if err := a.admit(r); err != nil {
		if r.Header.Get("Expect") == "" { // who waits for a word to go on has sent nothing yet
			a.drain(w, r, nil)
		}
		return err
	}
	defer a.uploads.Release(1)
	ctx, cancel := context.WithDeadline(r.Context(), until)
	defer cancel()
	f, err := a.send(ctx, w, r)
	if err != nil {
		cancel()
		a.drain(w, r, err)
		return err
	}
	rest.AuditMade(r.Context(), "file_id", f.GetId())
	front.Succeed(w, uploaded{ID: f.GetId(), URL: "/files/" + f.GetId(), Type: media[f.GetType()], Size: f.GetSize()})
	return nil
}

// admit takes one of the places for uploads.
func (a area) admit(r *http.Request) error {
	if r.ContentLength > a.config.MaxUpload+2*maxHead {
		return a.tooLarge()
	}
	if !a.uploads.TryAcquire(1) {
		return errBusy
	}
	return nil
}

func (a area) tooLarge() front.Failure {
	return front.Failure{Status: http.StatusRequestEntityTooLarge, Msg: fmt.Sprintf("the file must be at most %d bytes", a.config.MaxUpload)}
}

// drain reads what is left of a body that was refused, since many a client reads no answer before it has sent
// everything. Of one that is more than twice too large it reads a part.
func (a area) drain(w http.ResponseWriter, r *http.Request, refused error) {
	if errors.Is(refused, errArrival) {
		w.Header().Set("Connection", "close")
		return
	}
	if n, err := io.CopyN(io.Discard, r.Body, 2*(a.config.MaxUpload+maxHead)); err == nil && n > 0 {
		w.Header().Set("Connection", "close") // there is more
	}
}

// send hands the file of a form on.
func (a area) send(ctx context.Context, w http.ResponseWriter, r *http.Request) (*contentv1.File, error) {
	f, name, err := openForm(r)
	if err != nil {
		return nil, err
	}
	stream, err := a.hub.UploadFile(outgoing(ctx))
	if err != nil {
		return nil, refusal(err)
	}
	err = stream.Send(&contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Name{Name: name}})
	if err == nil {
		err = a.copy(stream, f)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	// After an io.EOF of the stream the answer tells why.
	answer, err := stream.CloseAndRecv()
	if sent, headErr := stream.Header(); headErr == nil {
		rest.PassLimit(w, sent)
	}
	if err != nil {
		return nil, refusal(err)
	}
	return answer.GetFile(), nil
}

// copy sends the bytes of a file, and wants the form to end behind them. It is io.EOF when portalhub has answered
// before.
func (a area) copy(stream grpc.ClientStreamingClient[contentv1.UploadFileRequest, contentv1.UploadFileResponse], f *form) error {
	buffer := make([]byte, chunkBytes)
	for size := int64(0); ; {
		n, readErr := f.read(buffer)
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return readErr
		}
		if size += int64(n); size > a.config.MaxUpload {
			return a.tooLarge()
		}
		if n > 0 {
			if err := stream.Send(&contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Chunk{Chunk: buffer[:n]}}); err != nil {
				return err
			}
		}
		if readErr != nil {
			return f.end()
		}
	}
}

// outgoing carries the id of a request on.
func outgoing(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, requestid.Key, requestid.From(ctx))
}

// refusal gives the statuses of HTTP that gRPC does not have. All others are the frame's.
func refusal(err error) error {
	st := status.Convert(err)
	if st.Code() == codes.Unimplemented {
		return errNone // an earlier version of portalhub, or one that has no place for files
	}
	for _, detail := range st.Details() {
		fields, _ := detail.(*errdetails.BadRequest)
		for _, v := range fields.GetFieldViolations() {
			switch v.GetField() {
			case "type":
				return front.Failure{Status: http.StatusUnsupportedMediaType, Msg: st.Message()}
			case "size":
				return front.Failure{Status: http.StatusRequestEntityTooLarge, Msg: st.Message()}
			}
		}
	}
	return err
}
