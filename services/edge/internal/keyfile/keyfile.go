// Package keyfile makes the files with the keys that Hub makes for itself.
package keyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create makes a file with a new key, unless there is a file. Only a process that runs once may do so,
// because others would not have its key.
func Create(path string, newKey func() ([]byte, error)) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // it names the operation and the path
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make folder for the key: %w", err)
	}
	return write(path, key)
}

// write makes the file appear whole or not at all, readable for its owner only, and outlive a crash of
// the machine.
func write(path string, content []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("make file: %w", err)
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // it is gone after the rename
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("name file: %w", err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
