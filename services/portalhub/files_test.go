package portalhub_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/fault"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
)

func TestAFileIsKeptAndRead(t *testing.T) {
	p, _ := newPlace(t)
	content := aPicture(t)
	f, err := p.upload(t, `C:\a\b.png`, content)
	if err != nil || f.GetType() != contentv1.FileType_FILE_TYPE_PNG || f.GetSize() != int64(len(content)) || f.GetName() != "b.png" || f.GetCreatorId() != "user:carla" {
		t.Fatalf("%v, %v", f, err)
	}
	got, b, err := p.download(t, f.GetId())
	if err != nil || got.String() != f.String() || !bytes.Equal(b, content) {
		t.Errorf("%v, %d bytes, %v", got, len(b), err)
	}
	again, err := p.upload(t, "c.png", content)
	if err != nil || again.GetId() == f.GetId() || len(p.files(t)) != 1 {
		t.Errorf("%v, %v, there is %v", again, err, p.files(t))
	}
}

func TestWhatIsRefusedLeavesNothing(t *testing.T) {
	p, _ := newPlace(t, "HUB_MAX_UPLOAD=2000")
	for what, tt := range map[string]struct {
		name    string
		content []byte
		field   string
	}{
		"a script":  {"a.png", []byte("<script>alert(1)</script>"), "the file is no PNG, GIF, WebP, JPEG or PDF"},
		"too long":  {"a.pdf", []byte("%PDF-" + strings.Repeat("x", 1996)), "the file must be at most 2000 bytes"},
		"a name":    {"a\n", aPicture(t), "name must not contain control characters"},
		"half":      {"a.png", aPicture(t)[:60], "the file is no whole PNG"},
		"nothing":   {"a.png", nil, "the file is no PNG, GIF, WebP, JPEG or PDF"},
		"with more": {"a.png", append(aPicture(t), 0), "the file goes on after the end of the PNG"},
	} {
		_, err := p.upload(t, tt.name, tt.content)
		wantCode(t, what, err, codes.InvalidArgument, tt.field)
		p.wantNothing(t)
	}
	if _, err := p.upload(t, "a.pdf", []byte("%PDF-"+strings.Repeat("x", 1995))); err != nil {
		t.Errorf("2000 bytes: %v", err)
	}
}

// TestWhoGoesAwayLeavesNothing cuts an upload in its middle.
func TestWhoGoesAwayLeavesNothing(t *testing.T) {
	p, _ := newPlace(t)
	ctx, cancel := context.WithCancel(user(t, "carla", "content"))
	defer cancel()
	stream, err := p.client.UploadFile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*contentv1.UploadFileRequest{
		{Part: &contentv1.UploadFileRequest_Name{Name: "a.pdf"}}, part([]byte("%PDF-1.7\n")), part(make([]byte, 60_000)), part(make([]byte, 60_000)),
	} {
		if err := stream.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.files(t)) != 1 {
		t.Errorf("before the cut there is %v, want a draft", p.files(t))
	}
	cancel()
	if _, err := stream.CloseAndRecv(); status.Code(err) != codes.Canceled {
		t.Errorf("it ends with %v", err)
	}
	p.wantNothing(t)
}

func TestWhatFailsLeavesNothing(t *testing.T) {
	p, store := newPlace(t)
	away := fault.New(fault.Unavailable, "away")
	for what, breaks := range map[string]func(on error){
		"the row is not added":   func(on error) { store.add = on },
		"the blob is not stored": func(on error) { p.blobs.keep = on },
		"the file is not kept":   func(on error) { store.keep = on },
	} {
		breaks(away)
		_, err := p.upload(t, "a.png", aPicture(t))
		wantCode(t, what, err, codes.Unavailable, "away")
		breaks(nil)
		p.sweep(t, store, 61*time.Minute)
		p.wantNothing(t)
	}
	// The blob of a file stays when another upload of it fails.
	f, err := p.upload(t, "a.png", aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	store.keep = away
	if _, err := p.upload(t, "b.png", aPicture(t)); err == nil {
		t.Error("it is kept")
	}
	p.sweep(t, store, 61*time.Minute)
	if _, _, err := p.download(t, f.GetId()); err != nil {
		t.Errorf("the other file is lost: %v", err)
	}
}

// TestAnUploadThatASweepOvertakesFails has the sweep of another process come in between.
func TestAnUploadThatASweepOvertakesFails(t *testing.T) {
	p, store := newPlace(t)
	p.blobs.kept = func() { p.sweep(t, store, 61*time.Minute) }
	_, err := p.upload(t, "a.png", aPicture(t))
	wantCode(t, "upload", err, codes.Unavailable, "the file could not be kept, try again")
	p.wantNothing(t)
}

func TestALostBlobIsAFileThatIsNotThere(t *testing.T) {
	p, _ := newPlace(t)
	f, err := p.upload(t, "a.png", aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []func(path string) error{func(path string) error { return os.Truncate(path, 5) }, os.Remove} {
		if err := damage(p.files(t)[0]); err != nil {
			t.Fatal(err)
		}
		_, _, err = p.download(t, f.GetId())
		wantCode(t, "download", err, codes.NotFound, "there is no such file")
	}
	if _, err := p.upload(t, "another.png", aPicture(t)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.download(t, f.GetId()); err != nil {
		t.Errorf("after an upload of the same: %v", err)
	}
}

// TestUploadsAtOnceAreBounded holds as many as there may be.
func TestUploadsAtOnceAreBounded(t *testing.T) {
	p, _ := newPlace(t)
	ctx, cancel := context.WithTimeout(user(t, "carla", "content"), time.Minute)
	defer cancel()
	for range 32 {
		stream, err := p.client.UploadFile(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.Send(&contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Name{Name: "a"}})
		if err := stream.Send(part([]byte("%PDF-1.7\n    "))); err != nil { // which is read when the upload has begun
			t.Fatal(err)
		}
	}
	_, err := p.upload(t, "a.png", aPicture(t))
	wantCode(t, "one more", err, codes.Unavailable, "too many files are uploaded at once, try again later")
}

// TestSweepsRemoveWhatIsLeft leaves a draft and a blob, as crashes do, and lets an hour pass.
func TestSweepsRemoveWhatIsLeft(t *testing.T) {
	p, store := newPlace(t)
	f, err := p.upload(t, "a.png", aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	store.keep = fault.New(fault.Unavailable, "away")
	if _, err := p.upload(t, "a.pdf", []byte("%PDF-1.7\n    ")); err == nil {
		t.Fatal("it is kept")
	}
	if _, err := p.blobs.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.sweep(t, store, 59*time.Minute)
	if got := p.files(t); len(got) != 3 {
		t.Errorf("before there is %v, want a draft and two blobs", got)
	}
	p.sweep(t, store, 61*time.Minute)
	if got := p.files(t); len(got) != 1 {
		t.Errorf("after an hour there is %v", got)
	}
	if _, _, err := p.download(t, f.GetId()); err != nil {
		t.Errorf("the file is lost: %v", err)
	}
}

// TestSweepsLeaveWhatIsNotTheirs sweeps in the name of an empty database, as one that was restored wrongly.
func TestSweepsLeaveWhatIsNotTheirs(t *testing.T) {
	p, _ := newPlace(t)
	f, err := p.upload(t, "a.png", aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	p.sweep(t, openStore(t), 24*time.Hour)
	if _, _, err := p.download(t, f.GetId()); err != nil {
		t.Errorf("the file is lost: %v", err)
	}
}
