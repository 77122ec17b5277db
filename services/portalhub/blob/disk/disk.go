// Package disk keeps the bytes of files in a folder.
//
// It holds blobs/ab/<hash>, where ab are the first digits of the hash, and drafts/ for what is being written. A
// blob appears by a rename, so that it is whole wherever it is seen.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub/internal/file"
)

// Store is a portalhub.Blobs in a folder. Several processes may share it.
type Store struct{ blobs, drafts string }

var _ file.Blobs = (*Store)(nil)

// Open uses a folder, which it creates where it is missing.
func Open(folder string) (*Store, error) {
	s := &Store{blobs: filepath.Join(folder, "blobs"), drafts: filepath.Join(folder, "drafts")}
	for _, path := range []string{s.blobs, s.drafts} {
		if err := create(path); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// create makes a folder, and those above it that are missing, and syncs their names: what is kept in a folder lasts
// no longer than its name.
func create(path string) error {
	above := filepath.Dir(path)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || above == path {
		return err
	}
	if err := create(above); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(above)
}

func (s *Store) path(hash string) string { return filepath.Join(s.blobs, hash[:2], hash) }

// failed says that the folder cannot be used: it is full, or gone, or not Hub's.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "files cannot be kept or read at the moment", fmt.Errorf("%s: %w", doing, err))
}

// Create implements file.Blobs.
func (s *Store) Create(context.Context) (file.Draft, error) {
	f, err := os.CreateTemp(s.drafts, "")
	if err != nil {
		return nil, failed("create draft", err)
	}
	return &draft{f, s}, nil
}

// Open implements file.Blobs.
func (s *Store) Open(_ context.Context, hash string) (io.ReadCloser, int64, error) {
	f, err := os.Open(s.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, file.ErrNoBlob
	}
	if err != nil {
		return nil, 0, failed("open blob", err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, failed("open blob", err)
	}
	return f, info.Size(), nil
}

// Remove implements file.Blobs.
func (s *Store) Remove(_ context.Context, hash string) error {
	if err := os.Remove(s.path(hash)); !errors.Is(err, fs.ErrNotExist) {
		return failed("remove blob", err)
	}
	return nil
}

// RemoveDrafts implements file.Blobs.
func (s *Store) RemoveDrafts(_ context.Context, before time.Time) error {
	entries, err := os.ReadDir(s.drafts)
	if err != nil {
		return failed("list drafts", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			err = os.Remove(filepath.Join(s.drafts, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed("remove draft", err)
		}
	}
	return nil
}

// draft is a file in drafts.
type draft struct {
	f *os.File
	s *Store
}

// Write implements file.Draft.
func (d *draft) Write(b []byte) (int, error) {
	n, err := d.f.Write(b)
	return n, failed("write draft", err)
}

// Keep implements file.Draft. The folders are synced, too, since a name is kept there.
func (d *draft) Keep(ctx context.Context, hash string) error {
	path := d.s.path(hash)
	folder := filepath.Dir(path)
	for _, step := range []func() error{
		ctx.Err,
		d.f.Sync,
		func() error { return os.MkdirAll(folder, 0o700) },
		func() error { return os.Rename(d.f.Name(), path) },
		func() error { return syncFolder(folder) },
		func() error { return syncFolder(d.s.blobs) },
	} {
		if err := step(); err != nil {
			return failed("keep blob", err)
		}
	}
	return nil
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Discard implements file.Draft. After a rename there is nothing of its name.
func (d *draft) Discard() {
	_ = d.f.Close()
	_ = os.Remove(d.f.Name())
}
