package rest

import (
	"testing"

	"golang.org/x/sync/semaphore"
)

// TestAnswerThatIsLargerThanItsRecords has an answer whose JSON takes more than was reserved for it.
func TestAnswerThatIsLargerThanItsRecords(t *testing.T) {
	budget := semaphore.NewWeighted(100)
	if !budget.TryAcquire(40) {
		t.Fatal("there is no room")
	}
	r := reservation{budget, 40}
	if r.settle(101) || !r.settle(90) || budget.TryAcquire(11) || !budget.TryAcquire(10) {
		t.Error("the answer is not counted with its own size")
	}
	r.free()
	if !budget.TryAcquire(90) {
		t.Error("its room is not free again")
	}
}
