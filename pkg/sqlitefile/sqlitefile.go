// Package sqlitefile opens the SQLite files of the embedded shape: durable, with one writer and a few
// readers.
//
// It imports no driver. The importing store registers one under the name "sqlite" whose settings are
// those of modernc.org/sqlite.
package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// readers is the number of connections for lists and counts. SQLite works in the process, so more
// than a few only cost memory.
const readers = 4

// busyTimeout is how long a lock that another process holds is waited for.
const busyTimeout = 5 * time.Second

// logPages is the length of the log, in pages of 4 KiB, from which on a commit folds it into the file. A page that
// changed several times is folded once, and the file is synced less often: with the 1,000 pages of SQLite, upserts in
// random places take a tenth more of the processor.
const logPages = 4000

// DB is one open database file.
type DB struct {
	// Write is one connection, so that writers queue in the pool, where a context can end their wait,
	// and not in SQLite's busy loop. Its transactions take the write lock at once.
	Write *sql.DB
	// Read is a pool that cannot write. In WAL mode it never waits for the writer.
	Read *sql.DB

	path string
	met  atomic.Pointer[state] // nil while no statement met trouble
}

// Open opens the file at path and creates it, and its folder, where missing; both are for their
// owner only. A commit is on disk before it is answered (WAL, synchronous FULL); a lock that another
// process holds is waited for up to 5 s. An error names the path in one line.
func Open(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, reason(err))
	}
	db := &DB{path: path}
	// The writer comes first: it switches a new file to WAL, and the switch is stored in the file.
	if db.Write, err = connect(ctx, path, 1, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("wal_autocheckpoint(%d)", logPages)},
	}); err != nil {
		return nil, err
	}
	if db.Read, err = connect(ctx, path, readers, url.Values{"_query_only": {"1"}}); err != nil {
		_ = db.Write.Close()
		return nil, err
	}
	return db, nil
}

// Close waits for running statements and closes the file. The readers go first, so that the writer
// is the last connection and folds the log into the file.
func (db *DB) Close() error {
	return errors.Join(db.Read.Close(), db.Write.Close())
}

// create makes the folder and the empty file, for their owner only; SQLite gives its log files the
// same mode.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		// Not opened here: closing it again would drop the locks of this process on it.
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func connect(ctx context.Context, path string, size int, settings url.Values) (*sql.DB, error) {
	settings.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	settings.Set("_foreign_keys", "1")
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	if err := ping(ctx, db); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open %s: %w", path, diagnose(path, err))
	}
	return db, nil
}

// ping opens the first connection. Those who open a new file at the same time meet in its switch to WAL,
// in which SQLite itself waits for nobody.
func ping(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for {
		err := db.PingContext(ctx)
		if troubleOf(err) != busy || !lifecycle.Sleep(ctx, 10*time.Millisecond) {
			return err
		}
	}
}

// diagnose finds the operating system's word for SQLite's "unable to open database file". It is only
// called when the file could not be opened.
func diagnose(path string, err error) error {
	f, fault := os.OpenFile(path, os.O_RDWR, 0)
	if fault != nil {
		return reason(fault)
	}
	_ = f.Close()
	// The log files need a folder that can be written to.
	probe, fault := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-probe-*")
	if fault != nil {
		return fmt.Errorf("its folder: %w", reason(fault))
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return err
}

// reason strips the operation and the path: the caller says both.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
