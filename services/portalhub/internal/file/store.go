package file

import (
	"context"
	"errors"
	"io"
	"time"
)

// Store keeps what is known of the files. Its methods are safe for concurrent use, and what they answered is
// durable.
//
// A store that is away or too slow answers with a fault of kind Unavailable; the call may then have had its
// effect, and may be repeated.
type Store interface {
	// AddFile adds a file whose bytes are about to be kept. While DropFile is at its hash, it waits.
	AddFile(ctx context.Context, p AddParams) error
	// KeepFile says that the bytes of a file are kept, and tells whether it is there still.
	KeepFile(ctx context.Context, p KeepParams) (kept bool, err error)
	// GetFile gives a file that is kept. A miss is NotFound.
	GetFile(ctx context.Context, p GetParams) (File, error)
	// ListLeft gives files that were added before a time and are not kept, the oldest first.
	ListLeft(ctx context.Context, p ListLeftParams) ([]File, error)
	// DropFile removes a file, unless it is kept, and calls p.Remove, unless another one has its hash, while nobody
	// can add one that has. An error of Remove is its own, and the file stays.
	DropFile(ctx context.Context, p DropParams) error
}

// AddParams are a new file.
type AddParams struct{ File }

// KeepParams name a file.
type KeepParams struct{ ID string }

// GetParams name a file.
type GetParams struct{ ID string }

// ListLeftParams say which files are listed, and how many at most.
type ListLeftParams struct {
	Before time.Time
	Limit  int64
}

// DropParams name a file, and say how the blob of its hash is removed.
type DropParams struct {
	ID, Hash string
	Remove   func(context.Context) error
}

// Blobs keep the bytes of files by their hashes. Their methods are safe for concurrent use, also by several
// processes, and what was kept is durable. What is away or too slow is a fault of kind Unavailable.
type Blobs interface {
	// Create begins a blob.
	Create(ctx context.Context) (Draft, error)
	// Open gives the bytes of a blob and their number; a miss is ErrNoBlob.
	Open(ctx context.Context, hash string) (r io.ReadCloser, size int64, err error)
	// Remove removes a blob; one that is not there is no error.
	Remove(ctx context.Context, hash string) error
	// RemoveDrafts removes drafts that were last written before a time, which a crash has left.
	RemoveDrafts(ctx context.Context, before time.Time) error
}

// ErrNoBlob says that there is no blob of a hash.
var ErrNoBlob = errors.New("there is no blob of this hash")

// Draft is a blob whose hash is not known yet. It is for one goroutine.
type Draft interface {
	io.Writer
	// Keep makes what was written the blob of a hash, whole or not at all, whether there is one already or not.
	Keep(ctx context.Context, hash string) error
	// Discard removes what was not kept; it comes last.
	Discard()
}
