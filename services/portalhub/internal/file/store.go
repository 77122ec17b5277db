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
	// AddFile adds a file. While RemoveUnnamed is at its hash, it waits.
	AddFile(ctx context.Context, p AddParams) error
	// DropFile removes a file whose upload has failed; one that is not there is no error.
	DropFile(ctx context.Context, p DropParams) error
	// GetFile gives a file. A miss is NotFound.
	GetFile(ctx context.Context, p GetParams) (File, error)
	// ListUnnamed gives those of some hashes that no file has, in any order.
	ListUnnamed(ctx context.Context, p ListUnnamedParams) ([]string, error)
	// RemoveUnnamed calls p.Remove, unless a file has the hash, while nobody can add one that has. It tells
	// whether it did. An error of Remove is its own.
	RemoveUnnamed(ctx context.Context, p RemoveParams) (removed bool, err error)
}

// AddParams are a new file.
type AddParams struct{ File }

// DropParams name a file.
type DropParams struct{ ID string }

// GetParams name a file.
type GetParams struct{ ID string }

// ListUnnamedParams are hashes.
type ListUnnamedParams struct{ Hashes []string }

// RemoveParams say how the blob of a hash is removed.
type RemoveParams struct {
	Hash   string
	Remove func(context.Context) error
}

// Blobs keep the bytes of files by their hashes. Their methods are safe for concurrent use, also by several
// processes, and what was kept is durable. What is away or too slow is a fault of kind Unavailable.
type Blobs interface {
	// Create begins a blob.
	Create(ctx context.Context) (Draft, error)
	// Open gives the bytes of a blob and their number; a miss is ErrNoBlob.
	Open(ctx context.Context, hash string) (r io.ReadCloser, size int64, err error)
	// Has tells whether a blob is there.
	Has(ctx context.Context, hash string) (bool, error)
	// Remove removes a blob; one that is not there is no error.
	Remove(ctx context.Context, hash string) error
	// Old calls see for all blobs that were last kept before a time, with at most MaxOld hashes at once. Drafts
	// of such a time, which a crash has left, it removes.
	Old(ctx context.Context, before time.Time, see func(hashes []string) error) error
}

// MaxOld is how many hashes are looked at together.
const MaxOld = 500

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
