package front

import "testing"

// TestAnswerThatIsLargerThanItsRecords has an answer whose JSON takes more than was reserved for it.
func TestAnswerThatIsLargerThanItsRecords(t *testing.T) {
	budget := NewBudget(100)
	r, err := budget.Reserve(t.Context(), 40)
	if err != nil {
		t.Fatal(err)
	}
	if r.Settle(101) || !r.Settle(90) || budget.bytes.TryAcquire(11) || !budget.bytes.TryAcquire(10) {
		t.Error("the answer is not counted with its own size")
	}
	r.Free()
	if !budget.bytes.TryAcquire(90) {
		t.Error("its memory is not free again")
	}
}
