// Package file keeps the files of the portal: pictures and documents that administrators upload, and that every
// user who has their address reads.
//
// What is known of a file is a row of the Store, and its bytes are a blob of the Blobs, which files of equal
// bytes share. A row is added before its blob is stored, and says afterwards that it is kept; a blob is removed only
// with its last row. So a row that is kept has its blob, and what an upload leaves behind in a crash has a row, by
// which Sweep finds it.
package file

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"

	"example.com/hub/pkg/fault"
)

// Type is what the bytes of a file are. The numbers are those of the stores and of the proto.
type Type uint8

// The types of files.
const (
	PNG Type = iota + 1
	GIF
	WebP
	JPEG
	PDF
)

// String is the name of the type.
func (t Type) String() string {
	switch t {
	case PNG:
		return "PNG"
	case GIF:
		return "GIF"
	case WebP:
		return "WebP"
	case JPEG:
		return "JPEG"
	case PDF:
		return "PDF"
	default:
		return "file"
	}
}

// File is what is known of a file.
type File struct {
	// ID is 32 hexadecimal digits that nobody can guess.
	ID string
	// Hash is the SHA-256 of the bytes in hexadecimal digits, which names the blob. It is never shown.
	Hash string
	Type Type
	// Size is the length in bytes.
	Size int64
	// Name is what the uploader called it.
	Name string
	// CreateTime is in microseconds; a file never changes.
	CreateTime time.Time
	// CreatorID is the name of a principal.
	CreatorID string
}

// ChunkBytes is the largest part in which the bytes of a file travel.
const ChunkBytes = 64 << 10

// NotFound is the fault of an id that no file has.
func NotFound(id string) error {
	f := fault.New(fault.NotFound, "there is no such file")
	f.Resource = fault.Resource{Type: "file", Name: id}
	return f
}

var idForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // which never fails
	return hex.EncodeToString(id)
}

// TooLarge says that a file has more bytes than it may.
func TooLarge(most int64) string { return fmt.Sprintf("the file must be at most %d bytes", most) }
