package pgcall

import "errors"

// Codes of PostgreSQL (its manual, Appendix A), and the classes that their first two characters make.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnlyTransaction  = "25006"
	lockNotAvailable     = "55P03"

	classConnection = "08"
	classRollback   = "40"
	classResources  = "53" // disk full, out of memory, too many connections
	classOperator   = "57" // shutdown, crash, starting up, statement canceled or timed out
	classSystem     = "58" // input or output error
)

// Away tells whether err says that the database cannot do the call for now: no connection, a server
// that stops, starts or has no room, a lock or a statement that took too long. The same call may
// succeed later.
func Away(err error) bool {
	var b *broken
	if errors.As(err, &b) {
		return true
	}
	code := state(err)
	if code == readOnlyTransaction || code == lockNotAvailable {
		return true
	}
	if len(code) != 5 {
		return false
	}
	switch code[:2] {
	case classConnection, classRollback, classResources, classOperator, classSystem:
		return true
	default:
		return false
	}
}

// Demoted tells whether err says that the server takes no writes: it is not the primary, or no longer.
// Then every connection to it is worthless, so the store closes all.
func Demoted(err error) bool { return state(err) == readOnlyTransaction }

// conflict tells whether the server undid the transaction for the sake of another one.
func conflict(err error) bool {
	code := state(err)
	return code == serializationFailure || code == deadlockDetected
}

// state is the server's code, or empty for an error that is not the server's.
func state(err error) string {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState()
	}
	return ""
}
