package catchup_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
)

// TestBreaksOfTheBusAreToldOfTodos wants it told at once, whether or not the log answers: no log has todos.
func TestBreaksOfTheBusAreToldOfTodos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, d := start(t, &rows{})
		if n := d.takeLooks(); n != 0 {
			t.Errorf("%d times before anything was heard", n)
		}
		l.setCut(false) // hearing begins
		if n := d.takeLooks(); n != 1 {
			t.Errorf("%d times when hearing began", n)
		}
		l.setCut(true)
		if n := d.takeLooks(); n != 0 {
			t.Errorf("%d times while nothing is heard", n)
		}
		l.setCut(false)
		if n := d.takeLooks(); n != 1 {
			t.Errorf("%d times after a break", n)
		}
	})
}

func TestBreaksAreToldOfTodosWithoutALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, d := start(t, nil)
		l.setCut(true)
		l.setCut(false)
		if n := d.takeLooks(); n != 1 {
			t.Errorf("%d times after a break", n)
		}
	})
}

// TestEventsOfTodosArriveOnce also at a time when others wait for older ones.
func TestEventsOfTodosArriveOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, d := start(t, &rows{})
		d.take()
		todo := bus.Frame{Events: []bus.Event{{Kind: bus.Todo, User: "u", ID: "po-1", Time: time.Now()}}}
		l.publish(todo)
		if got := d.take(); !slices.Equal(got, []string{"po-1"}) {
			t.Errorf("got %q", got)
		}
		l.setCut(true)
		l.setCut(false)
		l.publish(todo)
		if got := d.take(); !slices.Contains(got, "po-1") {
			t.Errorf("got %q", got)
		}
	})
}

func TestSendersTellThatTodosMayBeMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, l, d := start(t, &rows{})
		before := f.Stats().LookAgain
		l.publish(bus.AnyTodo(time.Now()))
		if n := d.takeLooks(); n != 1 || f.Stats().LookAgain != before+1 {
			t.Errorf("told %d times, stats %+v", n, f.Stats())
		}
		l.publish(bus.Frame{Events: []bus.Event{{Kind: bus.Todo, User: "u"}, {Kind: bus.Message, User: "u", ID: "1"}}})
		if n := d.takeLooks(); n != 0 {
			t.Errorf("told %d times for the todos of one user", n)
		}
	})
}
