package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"example.com/hub/pkg/fault"
)

func TestAsFindsTheFaultInAChain(t *testing.T) {
	inner := fault.Wrap(fault.Unavailable, "the database is away", io.ErrUnexpectedEOF)
	err := fmt.Errorf("insert: %w", inner)
	if got := fault.As(err); got != inner || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", got)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if got := inner.Error(); got != "the database is away: unexpected EOF" {
		t.Errorf("the log would say %q", got)
	}
}

func TestAsHidesWhatIsNoFault(t *testing.T) {
	got := fault.As(errors.New("pq: secret"))
	if got.Kind != fault.Internal || got.Public != "internal error" {
		t.Errorf("got %+v", got)
	}
}
