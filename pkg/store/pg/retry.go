package pg

import (
	"context"
	"errors"
	"fmt"
)

// retry runs try and gives the error of the last run; the rules are those of Call.
func retry(ctx context.Context, try func(unknown bool) error) error {
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
		case (isLost(err) || demoted(err)) && losses > 0:
			losses--
			unknown = unknown || isLost(err)
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

// unreachable marks the error of a connection that could not be had. Nothing was sent.
func unreachable(err error) error { return &broken{err: err} }

// lost marks the error of a run after which the connection is closed, so that the run may have taken
// effect. A driver's word that nothing was sent does not count: pgx gives it for a COMMIT whose answer
// was lost, too.
func lost(err error) error { return &broken{err: err, used: true} }

// broken is an error that leaves no connection.
type broken struct {
	err error
	// used says that the run had a connection.
	used bool
}

func (b *broken) Error() string { return b.err.Error() }
func (b *broken) Unwrap() error { return b.err }

func isLost(err error) bool {
	var b *broken
	return errors.As(err, &b) && b.used
}
