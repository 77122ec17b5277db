package sqlitefile

import (
	"context"
	"errors"
	"fmt"

	"example.com/hub/pkg/fault"
)

// Primary result codes of SQLite (https://www.sqlite.org/rescode.html).
const (
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeOpen     = 14
	codeNotADB   = 26
)

// Extended codes of a file that is there and does not give back what was written.
const (
	codeIORead      = codeIO | 1<<8
	codeIOShortRead = codeIO | 2<<8
	codeIOData      = codeIO | 32<<8
	codeIOCorruptFS = codeIO | 33<<8
)

// trouble says what a failed statement tells of its file.
type trouble int

const (
	// none is an error that is not the file's.
	none trouble = iota
	// busy is a lock that another process holds. The same call may succeed later.
	busy
	// stuck is a file that cannot be written for now: the disk is full or failing.
	stuck
	// damaged is a file of which something cannot be read any more.
	damaged
)

// troubleOf classifies an error by its code.
func troubleOf(err error) trouble {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return none
	}
	switch coded.Code() {
	case codeIORead, codeIOShortRead, codeIOData, codeIOCorruptFS:
		return damaged
	}
	switch coded.Code() & 0xff {
	case codeCorrupt, codeNotADB:
		return damaged
	case codeIO, codeFull, codeOpen, codeReadOnly:
		return stuck
	case codeBusy, codeLocked:
		return busy
	default:
		return none
	}
}

// Failed says what was being done, and tells a file that cannot be used, or not in time, from a defect:
// the former is a fault of kind Unavailable. ctx is the one of the statement. Of a file that is damaged
// or cannot be written it takes a note for Ping. It gives nil for nil.
func (db *DB) Failed(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	found := troubleOf(err)
	if found > busy {
		err = fmt.Errorf("%s: %w", db.describe(found), err)
		db.note(found, err)
	}
	// A statement that was cut off reports that in several ways; the context says why.
	if cut := ctx.Err(); cut != nil && !errors.Is(err, cut) {
		err = fmt.Errorf("%w: %w", cut, err)
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case found > busy:
		return fault.Wrap(fault.Unavailable, "the database is not available", err)
	case found == busy, errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.Unavailable, "the database is busy", err)
	default:
		return err
	}
}
