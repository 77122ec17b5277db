package bulk

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// Reject is a line that Hub refused, or that it need not be asked about.
type Reject struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
	// Text is the line; of one that is too long its beginning.
	Text string `json:"text"`
}

// rejects is the file of refused lines, which is there from the first one on. Its path may be empty.
type rejects struct {
	path string
	file *os.File
	size int64
}

// openRejects goes on behind the first bytes of an earlier run; 0 begins a new file.
func openRejects(path string, size int64) (*rejects, error) {
	r := &rejects{path: path}
	if path == "" {
		return r, nil
	}
	if size == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return r, nil
	}
	if err := os.Truncate(path, size); err != nil {
		return nil, err
	}
	r.size = size
	return r, r.open()
}

func (r *rejects) open() (err error) {
	r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return err
}

func (r *rejects) add(one Reject) error {
	if r.path == "" {
		return nil
	}
	if r.file == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	n, err := r.file.Write(append(text, '\n'))
	r.size += int64(n)
	return err
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
