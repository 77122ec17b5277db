package pg

import (
	"testing"
	"time"
)

func TestLinesAboutSlowStatementsAreBounded(t *testing.T) {
	var a allowance
	now := time.Now()
	for n := range 3 * allowanceLines {
		if left, ok := a.take("insert_push", now.Add(time.Duration(n)*time.Millisecond)); ok != (n < allowanceLines) || left != 0 {
			t.Fatalf("line %d: %v, %d left out", n, ok, left)
		}
	}
	if left, ok := a.take("update_read", now); !ok || left != 0 {
		t.Errorf("another statement: %v, %d left out", ok, left)
	}
	if left, ok := a.take("insert_push", now.Add(allowancePeriod)); !ok || left != 2*allowanceLines {
		t.Errorf("the next period: %v, %d left out", ok, left)
	}
	if left, ok := a.take("insert_push", now.Add(allowancePeriod)); !ok || left != 0 {
		t.Errorf("its second line: %v, %d left out", ok, left)
	}
}

func TestStatementNames(t *testing.T) {
	for sql, want := range map[string]string{
		"-- name: insert_push\nINSERT": "insert_push",
		"-- name: unfinished":          "other",
		"SELECT 1":                     "other",
		"":                             "other",
		"begin":                        "begin",
		"commit":                       "commit",
		"rollback":                     "rollback",
	} {
		if got := nameOf(sql); got != want {
			t.Errorf("%q is %s, want %s", sql, got, want)
		}
	}
}
