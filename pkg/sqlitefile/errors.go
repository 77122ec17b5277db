package sqlitefile

import "errors"

// Primary result codes of SQLite (https://www.sqlite.org/rescode.html).
const (
	codeBusy   = 5
	codeLocked = 6
	codeIO     = 10
	codeFull   = 13
	codeOpen   = 14
)

// Away tells whether err says that the file cannot be used for now: another process holds the lock,
// or the disk is full or failing. The same call may succeed later.
func Away(err error) bool {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return false
	}
	switch coded.Code() & 0xff {
	case codeBusy, codeLocked, codeIO, codeFull, codeOpen:
		return true
	default:
		return false
	}
}
