package reload

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	// maxBytes is more than the bundle of all public authorities takes.
	maxBytes = 4 << 20
	// attempts bounds how often files are read to find them all of one version.
	attempts = 5
)

// File is a file with the setting that names it. Without a path it is left out.
type File struct{ Setting, Path string }

// readAll gives the content of the files when it is twice the same: between two files a Secret may be
// replaced, and the certificate of one version does not fit the key of another one. A file that is gone
// may be of a version that was just replaced, so that is tried again, too.
func readAll(files []File) ([][]byte, error) {
	var last [][]byte
	var fault error
	for range attempts {
		next, err := readOnce(files)
		if err == nil && last != nil && slices.EqualFunc(last, next, bytes.Equal) {
			return next, nil
		}
		last, fault = next, err
	}
	if fault != nil {
		return nil, fault
	}
	return nil, fmt.Errorf("%s: the files do not stop changing", files[0].Setting)
}

func readOnce(files []File) ([][]byte, error) {
	content := make([][]byte, len(files))
	for i, f := range files {
		var err error
		if content[i], err = f.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Setting, err)
		}
	}
	return content, nil
}

func (f File) read() ([]byte, error) {
	if f.Path == "" {
		return nil, nil
	}
	r, err := os.Open(f.Path)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the operation and the path
	}
	defer func() { _ = r.Close() }() // nothing was written
	content, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(content) > maxBytes {
		return nil, fmt.Errorf("%s is too large", f.Path)
	}
	return content, nil
}
