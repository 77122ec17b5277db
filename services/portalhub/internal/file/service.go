package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// maxUploads is the most at once, which bounds the room that drafts take. It leaves the edges room for other calls on
// their connections.
const maxUploads = 32

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store Store
	Blobs Blobs
	// MaxSize is the largest file in bytes.
	MaxSize int64
	Clock   func() time.Time
	Logger  *slog.Logger
}

// Service is the area of files. It is safe for concurrent use.
type Service struct {
	deps    Deps
	uploads *semaphore.Weighted

	stored, refused, missing, away, removed atomic.Uint64
	swept                                   atomic.Int64 // when a sweep last came to its end, in seconds since 1970; 0 is never
}

// New makes a Service.
func New(d Deps) *Service { return &Service{deps: d, uploads: semaphore.NewWeighted(maxUploads)} }

// Upload stores the file that body has to its end, and nothing where body or anything else fails. Faults: Invalid,
// with the field name, size or type; Unavailable.
func (s *Service) Upload(ctx context.Context, by, name string, body io.Reader) (File, error) {
	name, err := baseName(name)
	if err != nil {
		return File{}, err
	}
	if !s.uploads.TryAcquire(1) {
		return File{}, fault.New(fault.Unavailable, "too many files are uploaded at once, try again later")
	}
	defer s.uploads.Release(1)
	f, err := s.upload(ctx, File{Name: name, CreatorID: by}, body)
	switch {
	case err == nil:
		s.stored.Add(1)
	case fault.KindOf(err) == fault.Invalid:
		s.refused.Add(1)
	}
	return f, err
}

func (s *Service) upload(ctx context.Context, f File, body io.Reader) (File, error) {
	draft, err := s.deps.Blobs.Create(ctx)
	if err != nil {
		return File{}, s.noteAway(err)
	}
	defer draft.Discard()
	hash, kept := sha256.New(), &keeping{Draft: draft, s: s}
	if f.Type, err = inspect(io.MultiWriter(hash, kept), &sized{r: body, most: s.deps.MaxSize}); err != nil {
		return File{}, err
	}
	f.ID, f.Hash, f.Size, f.CreateTime = newID(), hex.EncodeToString(hash.Sum(nil)), kept.n, field.Micro(s.deps.Clock())
	if err := s.keep(ctx, draft, f); err != nil {
		return File{}, err
	}
	return f, nil
}

// keep adds the row, stores the blob that it names, and then says that it is there. What fails leaves the row to a
// sweep: a bucket may still do what it did not answer in time. Where the row is gone, a sweep came in between.
func (s *Service) keep(ctx context.Context, draft Draft, f File) error {
	if err := s.deps.Store.AddFile(ctx, AddParams{f}); err != nil {
		return err
	}
	if err := draft.Keep(ctx, f.Hash); err != nil {
		return s.noteAway(err)
	}
	kept, err := s.deps.Store.KeepFile(ctx, KeepParams{f.ID})
	if err == nil && !kept {
		err = fault.New(fault.Unavailable, "the file could not be kept, try again")
	}
	return err
}

// Open gives a file and its bytes. Faults: NotFound, also where the bytes are lost; Unavailable.
func (s *Service) Open(ctx context.Context, id string) (File, io.ReadCloser, error) {
	if !idForm.MatchString(id) {
		return File{}, nil, NotFound(id)
	}
	f, err := s.deps.Store.GetFile(ctx, GetParams{id})
	if err != nil {
		return File{}, nil, err
	}
	body, size, err := s.deps.Blobs.Open(ctx, f.Hash)
	if err == nil && size == f.Size {
		return f, body, nil
	}
	if err == nil {
		_ = body.Close()
	}
	if err == nil || errors.Is(err, ErrNoBlob) {
		s.missing.Add(1)
		s.deps.Logger.ErrorContext(ctx, "the bytes of a file are lost", "file", f.ID, "size", f.Size, "found", size)
		return File{}, nil, NotFound(id)
	}
	return File{}, nil, s.noteAway(err)
}

// noteAway counts an error of the blobs.
func (s *Service) noteAway(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.away.Add(1)
	}
	return err
}

// keeping writes to a draft, and counts what is written and what fails.
type keeping struct {
	Draft

	s *Service
	n int64
}

func (k *keeping) Write(b []byte) (int, error) {
	n, err := k.Draft.Write(b)
	k.n += int64(n)
	return n, k.s.noteAway(err)
}

// sized counts what is read, and refuses more than the most.
type sized struct {
	r       io.Reader
	n, most int64
}

func (s *sized) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if s.n += int64(n); s.n > s.most {
		return 0, fault.Field("size", TooLarge(s.most))
	}
	return n, err
}
