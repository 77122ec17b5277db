package token

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	// checkEvery bounds how often a file is read; a change counts at the latest that much later.
	checkEvery   = 5 * time.Second
	maxFileBytes = 4 << 20
)

// file is a settings file that may change while Hub runs. It is read on use, not by a goroutine. A
// change that cannot be read is logged once, and the last good content stays in force.
type file[T any] struct {
	path   string
	parse  func([]byte) (T, error)
	clock  func() time.Time
	logger *slog.Logger

	mu      sync.Mutex
	value   T
	sum     [sha256.Size]byte // of the content of value
	checked time.Time
	problem string // logged last
}

// openFile reads the file for the first time.
func openFile[T any](path string, d Deps, parse func([]byte) (T, error)) (*file[T], error) {
	f := &file[T]{path: path, parse: parse, clock: d.Clock, logger: d.Logger}
	f.checked = f.clock()
	if _, err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// current gives the last good content.
func (f *file[T]) current() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	if now.Sub(f.checked) < checkEvery {
		return f.value
	}
	f.checked = now
	changed, err := f.read()
	switch {
	case err == nil:
		f.problem = ""
		if changed {
			f.logger.Info("settings file read again", "path", f.path)
		}
	case err.Error() != f.problem:
		f.problem = err.Error()
		f.logger.Error("settings file not read again, its last content stays in force", "error", err)
	}
	return f.value
}

// read takes over the content if it is good and new. The whole file is read rather than looked at,
// because times of files are too coarse to tell two quick changes apart.
func (f *file[T]) read() (changed bool, err error) {
	content, err := readLimited(f.path)
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256(content)
	if sum == f.sum {
		return false, nil
	}
	value, err := f.parse(content)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", f.path, err)
	}
	f.value, f.sum = value, sum
	return true, nil
}

func readLimited(path string) ([]byte, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the operation and the path
	}
	defer r.Close() //nolint:errcheck // nothing was written
	content, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read settings file: %w", err)
	}
	if len(content) > maxFileBytes {
		return nil, errors.New(path + " is too large")
	}
	return content, nil
}
