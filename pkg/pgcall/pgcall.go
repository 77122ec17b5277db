// Package pgcall decides what a store does when a call to PostgreSQL fails: repeat it, or tell the
// caller that the database is away.
//
// It imports no driver. A server's error tells its code by SQLState, and the store, which holds the
// connection, tells by Unreachable and Lost what became of it.
package pgcall

import (
	"context"
	"errors"
	"fmt"
)

// Do runs try and gives the error of the last run. All runs share the time that ctx has.
//
// A run that the server undid because of another transaction (deadlock, serialization) is repeated up
// to three times. A run whose connection was lost is repeated once; unknown is then true when the lost
// run may have taken effect, so that try can look for what it did. Whatever else fails, fails.
//
// The error wraps context.Canceled or context.DeadlineExceeded when that is what ended the call.
func Do(ctx context.Context, try func(unknown bool) error) error {
	conflicts, losses := 3, 1
	unknown := false
	for {
		err := try(unknown)
		if err == nil {
			return nil
		}
		if cut := ctx.Err(); cut != nil {
			return because(cut, err)
		}
		switch {
		case conflict(err) && conflicts > 0:
			conflicts--
		case (lost(err) || Demoted(err)) && losses > 0:
			losses--
			unknown = unknown || lost(err)
		default:
			return err
		}
	}
}

// because puts the reason in front of an error that may not know it: a connection that was cut at the
// end of a context reports that in several ways.
func because(cut, err error) error {
	if errors.Is(err, cut) {
		return err
	}
	return fmt.Errorf("%w: %w", cut, err)
}

// Unreachable marks the error of a connection that could not be had. Nothing was sent.
func Unreachable(err error) error { return &broken{err: err} }

// Lost marks the error of a run after which the connection is closed, so that the run may have taken
// effect. A driver's word that nothing was sent does not count: pgx gives it for a COMMIT whose answer
// was lost, too.
func Lost(err error) error { return &broken{err: err, used: true} }

// broken is an error that leaves no connection.
type broken struct {
	err error
	// used says that the run had a connection.
	used bool
}

func (b *broken) Error() string { return b.err.Error() }
func (b *broken) Unwrap() error { return b.err }

func lost(err error) bool {
	var b *broken
	return errors.As(err, &b) && b.used
}
