// Package datadir keeps the data folder of the embedded shape: for one process at a time, and such that
// none of its databases is lost without a word.
package datadir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	lockName = "hub.lock"
	// recordName has the name of every database that the folder ever had, one a line.
	recordName = "databases"
)

// errLocked is a lock that another process holds.
var errLocked = errors.New("locked")

// Dir is a data folder that this process alone uses. Its methods are not safe for concurrent use.
type Dir struct {
	path   string
	lock   *os.File
	record []string
	// unrecorded tells that there were databases and no record: a release before kept none, or they
	// come from a backup.
	unrecorded bool
	logger     *slog.Logger
}

// Open makes the folder where it is missing, for its owner only, and locks it for the life of the
// process: the system gives the lock free, also after a crash. An error names the folder.
func Open(path string, logger *slog.Logger) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	lock, err := takeLock(filepath.Join(path, lockName))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("%s is in use by another hub; stop that one, or give this one a folder of its own", path)
	}
	if err != nil {
		return nil, err
	}
	d := &Dir{path: path, lock: lock, logger: logger}
	if err := d.readRecord(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return d, nil
}

func (d *Dir) readRecord() error {
	text, err := os.ReadFile(d.Path(recordName))
	if errors.Is(err, fs.ErrNotExist) {
		files, err := fs.Glob(os.DirFS(d.path), "*.db")
		d.unrecorded = len(files) > 0
		return err
	}
	d.record = strings.Fields(string(text))
	return err
}

// Close gives the folder free.
func (d *Dir) Close() error { return d.lock.Close() }

// Path gives the path of a file of the folder.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

// Database opens a database of the folder, whose file open makes where it is missing, and records its
// name. A file that is missing, or empty, and stands in the record was lost: open is not called, and the
// error says what to do. One that the folder never had is made; without a record, beside another
// database, a line of the log says that it is new.
func Database[D io.Closer](dir *Dir, name string, open func(path string) (D, error)) (db D, err error) {
	recorded := slices.Contains(dir.record, name)
	missing, err := dir.missing(name)
	switch {
	case err != nil:
		return db, err
	case missing && recorded:
		return db, fmt.Errorf("%s had %s, which is missing; put it back as docs/operations/backup.md#sqlite says, or delete its line from %s to start with an empty one",
			dir.path, name, dir.Path(recordName))
	case missing && dir.unrecorded:
		dir.logger.Warn("a database is missing beside another one and starts empty; if it was lost, stop hub and put it back as docs/operations/backup.md#sqlite says",
			"file", dir.Path(name))
	}
	db, err = open(dir.Path(name))
	if err != nil || recorded {
		return db, err
	}
	if err := dir.add(name); err != nil {
		return db, errors.Join(err, db.Close())
	}
	return db, nil
}

func (d *Dir) missing(name string) (bool, error) {
	info, err := os.Stat(d.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && info.Size() == 0, err
}

// add writes the record anew, so that a crash leaves the old one or the new one.
func (d *Dir) add(name string) error {
	d.record = append(d.record, name)
	f, err := os.CreateTemp(d.path, recordName+"-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(d.record, "\n") + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), d.Path(recordName))
}
