package pg

import "errors"

// Codes of PostgreSQL (its manual, Appendix A), and the classes that their first two characters make.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnlyTransaction  = "25006"
	lockNotAvailable     = "55P03"
	uniqueViolation      = "23505"

	classConnection = "08"
	classRollback   = "40"
	classResources  = "53" // disk full, out of memory, too many connections
	classOperator   = "57" // shutdown, crash, starting up, statement canceled or timed out
	classSystem     = "58" // input or output error
)

// away tells whether err says that the database cannot do the call for now: no connection, a server
// that stops, starts or has no room, a lock or a statement that took too long. The same call may
// succeed later.
func away(err error) bool {
	var b *broken
	if errors.As(err, &b) {
		return true
	}
	code := codeOf(err)
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

// demoted tells whether err says that the server takes no writes: it is not the primary, or no longer.
// Then every connection to it is worthless, so all are closed.
func demoted(err error) bool { return codeOf(err) == readOnlyTransaction }

// conflict tells whether the server undid the transaction for the sake of another one.
func conflict(err error) bool {
	code := codeOf(err)
	return code == serializationFailure || code == deadlockDetected
}

// IsDeadlock tells whether the server undid the transaction since it and another one waited for each other.
func IsDeadlock(err error) bool { return codeOf(err) == deadlockDetected }

// IsDuplicate tells whether a row was refused since another one has its value of a unique column.
func IsDuplicate(err error) bool { return codeOf(err) == uniqueViolation }

// codeOf is the server's code, or empty for an error that is not the server's.
func codeOf(err error) string {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState()
	}
	return ""
}
