package portalhub_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/grpcserver"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/blob/disk"
	"example.com/hub/services/portalhub/internal/file"
)

// place is a hub with files in a folder, parts of which can fail.
type place struct {
	client contentv1.FileServiceClient
	store  portalhub.Store
	folder string
	blobs  *faulty
	clock  *clock
	hub    *portalhub.Service
}

// faulty are Blobs of which some calls fail.
type faulty struct {
	portalhub.Blobs
	keep error
	// kept runs after a blob was kept.
	kept func()
}

func (f *faulty) Create(ctx context.Context) (file.Draft, error) {
	d, err := f.Blobs.Create(ctx)
	return faultyDraft{d, f}, err
}

type faultyDraft struct {
	file.Draft
	f *faulty
}

func (d faultyDraft) Keep(ctx context.Context, hash string) error {
	if d.f.keep != nil {
		return d.f.keep
	}
	err := d.Draft.Keep(ctx, hash)
	if d.f.kept != nil {
		d.f.kept()
	}
	return err
}

// faultyStore is a Store that can add no files, or keep none.
type faultyStore struct {
	portalhub.Store
	add, keep error
}

func (s *faultyStore) AddFile(ctx context.Context, p file.AddParams) error {
	if s.add != nil {
		return s.add
	}
	return s.Store.AddFile(ctx, p)
}

func (s *faultyStore) KeepFile(ctx context.Context, p file.KeepParams) (bool, error) {
	if s.keep != nil {
		return false, s.keep
	}
	return s.Store.KeepFile(ctx, p)
}

func newPlace(t *testing.T, environ ...string) (*place, *faultyStore) {
	t.Helper()
	c, err := load(t, environ...)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{folder: t.TempDir(), clock: newClock()}
	folder, err := disk.Open(p.folder)
	if err != nil {
		t.Fatal(err)
	}
	store := &faultyStore{Store: openStore(t)}
	p.store, p.blobs = store, &faulty{Blobs: folder}
	p.hub, err = portalhub.New(portalhub.Deps{Config: c, Store: store, Blobs: p.blobs})
	if err != nil {
		t.Fatal(err)
	}
	options := grpcserver.Options{Verifier: tokens{}}
	if options.Edges.Key, err = internalkey.New(key); err != nil {
		t.Fatal(err)
	}
	options.Admit(p.hub)
	local := grpcserver.NewLocal(options)
	p.hub.Register(local)
	p.client = contentv1.NewFileServiceClient(local)
	return p, store
}

func part(b []byte) *contentv1.UploadFileRequest {
	return &contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Chunk{Chunk: b}}
}

// upload sends a file in the name of an administrator.
func (p *place) upload(t *testing.T, name string, content []byte) (*contentv1.File, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(user(t, "carla", "content"), time.Minute)
	defer cancel()
	stream, err := p.client.UploadFile(ctx)
	if err != nil {
		return nil, err
	}
	_ = stream.Send(&contentv1.UploadFileRequest{Part: &contentv1.UploadFileRequest_Name{Name: name}})
	for len(content) > 0 {
		n := min(len(content), 1000)
		if stream.Send(part(content[:n])) != nil {
			break
		}
		content = content[n:]
	}
	answer, err := stream.CloseAndRecv()
	return answer.GetFile(), err
}

// files lists what is in the folder, with the sizes.
func (p *place) files(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(p.folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func (p *place) wantNothing(t *testing.T) {
	t.Helper()
	if left := p.files(t); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}

func (p *place) download(t *testing.T, id string) (*contentv1.File, []byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(user(t, "amy"), time.Minute)
	defer cancel()
	stream, err := p.client.DownloadFile(ctx, &contentv1.DownloadFileRequest{Id: id})
	if err != nil {
		return nil, nil, err
	}
	var f *contentv1.File
	var b []byte
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return f, b, nil
		}
		if err != nil {
			return f, b, err
		}
		if m.GetFile() != nil {
			f = m.GetFile()
		}
		b = append(b, m.GetChunk()...)
	}
}

func aPicture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 90, 80))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (p *place) sweep(t *testing.T, store portalhub.Store, later time.Duration) {
	t.Helper()
	s := file.New(file.Deps{
		Store: store, Blobs: p.blobs, Clock: func() time.Time { return time.Now().Add(later) }, Logger: slog.Default(),
	})
	if err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}
