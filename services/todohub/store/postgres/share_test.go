package postgres_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

// asked is a context that tells when somebody waits for its end.
type asked struct {
	context.Context //nolint:containedctx // it is one
	once            sync.Once
	first           func()
}

func (a *asked) Done() <-chan struct{} {
	a.once.Do(a.first)
	return a.Context.Done()
}

// outcome is what an upsert answered.
type outcome struct {
	result todo.ChangeResult
	err    error
}

// company are upserts that wait for a statement together.
type company struct {
	t      *testing.T
	ended  sync.WaitGroup
	leave  []context.CancelFunc
	each   []outcome
	gone   []chan struct{}
	unlock func()
}

// together has upserts wait behind two whose items are locked.
func together(t *testing.T, dsn string, s *postgres.Store, all []todo.UpsertParams) *company {
	t.Helper()
	c := &company{t: t, each: make([]outcome, len(all)), unlock: occupy(t, dsn, s)}
	var waiting sync.WaitGroup
	for i, p := range all {
		waiting.Add(1)
		inner, leave := context.WithCancel(t.Context())
		ctx, gone := &asked{Context: inner, first: waiting.Done}, make(chan struct{})
		c.leave, c.gone = append(c.leave, leave), append(c.gone, gone)
		c.ended.Go(func() {
			defer close(gone)
			c.each[i].result, c.each[i].err = s.Upsert(ctx, p)
		})
	}
	waiting.Wait()
	return c
}

// occupy has two upserts under way until unlock.
func occupy(t *testing.T, dsn string, s *postgres.Store) (unlock func()) {
	t.Helper()
	var locked []todo.UpsertParams
	for n := range 2 {
		p := report(9000 + n)
		upsert(t, s, p)
		locked = append(locked, p)
	}
	tx, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM todo WHERE id >= $1 FOR UPDATE`, locked[0].ID); err != nil {
		t.Fatal(err)
	}
	var under errgroup.Group
	for _, p := range locked {
		under.Go(func() error { _, err := s.Upsert(t.Context(), p); return err })
	}
	pgtest.Waiting(t, dsn, "upsert_todo", 2)
	return func() {
		t.Helper()
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := under.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// answers lets the statements go on, and gives what became of each upsert.
func (c *company) answers() []outcome {
	c.t.Helper()
	c.unlock()
	c.ended.Wait()
	return c.each
}

// wantAnswered checks that an upsert was answered the item as it is stored.
func wantAnswered(t *testing.T, s *postgres.Store, p todo.UpsertParams, o outcome) {
	t.Helper()
	if o.err != nil || !o.result.Changed {
		t.Errorf("%s: changed %v, %v", p.ID, o.result.Changed, o.err)
		return
	}
	if diff := cmp.Diff(stored(t, s, p.ID), o.result.Item); diff != "" {
		t.Errorf("%s: answer (-stored +got):\n%s", p.ID, diff)
	}
}

// TestLostSharedUpsertsAreRepeated loses the answer of a statement that gives items to another user.
func TestLostSharedUpsertsAreRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	all := batch(8)
	for i := range 4 {
		upsert(t, direct, all[i])
		all[i].AssigneeUsername = "bob"
	}
	c := together(t, dsn, s, all)
	lost := 0
	p.Lose("INSERT 0 8", func() { lost++ })
	for i, o := range c.answers() {
		wantAnswered(t, direct, all[i], o)
		former := ""
		if i < 4 {
			former = report(i).AssigneeUsername
		}
		if !o.result.Repeated || o.result.Item.FormerAssignee != former {
			t.Errorf("%d: repeated %v, from %q, want %q", i, o.result.Repeated, o.result.Item.FormerAssignee, former)
		}
	}
	if lost != 1 {
		t.Errorf("%d answers were lost", lost)
	}
}

// TestLostSharedUpsertsLeaveALaterChange has another client change one of the items between a lost statement and its
// repeat: the caller of that one has to decide, and no other.
func TestLostSharedUpsertsLeaveALaterChange(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	all := batch(8)
	later := report(500)
	later.ID = all[3].ID
	c := together(t, dsn, s, all)
	p.Lose("INSERT 0 8", func() { upsert(t, direct, later) })
	for i, o := range c.answers() {
		if i != 3 {
			wantAnswered(t, direct, all[i], o)
			continue
		}
		wantUnavailable(t, o.err)
		if got := stored(t, direct, later.ID); got.SourceBizID != later.SourceBizID {
			t.Errorf("the repeat undid the later change: %+v", got)
		}
	}
}

// TestPoisonFailsItsOwnCaller has a text among the upserts that the server refuses.
func TestPoisonFailsItsOwnCaller(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	all := batch(8)
	all[5].Title = "nul \x00"
	for i, o := range together(t, dsn, s, all).answers() {
		if i != 5 {
			wantAnswered(t, s, all[i], o)
			continue
		}
		_, err := s.Get(t.Context(), todo.GetParams{ID: all[i].ID})
		if o.err == nil || fault.KindOf(o.err) != fault.Internal || fault.KindOf(err) != fault.NotFound {
			t.Errorf("poison: %v, and get %v", o.err, err)
		}
	}
}

// TestSharedUpsertsGetOverADeadlock has another transaction that locks the items the other way round.
func TestSharedUpsertsGetOverADeadlock(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, pgtest.With(dsn, "deadlock_timeout", pgtest.Patience))
	all := batch(3)
	for i := range all {
		upsert(t, s, all[i])
	}
	c := together(t, dsn, s, all)
	err := pgtest.Deadlock(t, dsn, "upsert_todos",
		`UPDATE todo SET title = 'touched' WHERE id = 'erp-order-00000000'`,
		`UPDATE todo SET title = 'touched' WHERE id = 'erp-order-00000002'`,
		func() error { c.answers(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range c.each { // the other one may have come first to an item, or last
		if o.err != nil || !o.result.Changed || o.result.Item.Title != all[i].Title {
			t.Errorf("%s: %+v, %v", all[i].ID, o.result, o.err)
		}
	}
}

// TestWhoLeavesIsNotStored has one caller leave before the statement begins, and one while it runs.
func TestWhoLeavesIsNotStored(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	all := batch(8)
	upsert(t, s, all[7])
	left := func(c *company, i int) {
		t.Helper()
		c.leave[i]()
		<-c.gone[i]
		if !errors.Is(c.each[i].err, context.Canceled) {
			t.Errorf("who left got %v", c.each[i].err)
		}
	}
	c := together(t, dsn, s, all)
	left(c, 2)
	tx := lockItem(t, dsn, all[7].ID)
	unlocked := make(chan struct{})
	go func() { defer close(unlocked); c.unlock() }()
	pgtest.Waiting(t, dsn, "upsert_todos", 1)
	left(c, 4)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-unlocked
	c.ended.Wait()
	for i, o := range c.each {
		if i != 2 && i != 4 {
			wantAnswered(t, s, all[i], o)
		}
	}
	if _, err := s.Get(t.Context(), todo.GetParams{ID: all[2].ID}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("who left in time has an item: %v", err)
	}
}

func lockItem(t *testing.T, dsn, id string) pgx.Tx {
	t.Helper()
	tx, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM todo WHERE id = $1 FOR UPDATE`, id); err != nil {
		t.Fatal(err)
	}
	return tx
}

// TestNobodyQueuesBehindADatabaseThatIsAway has more upserts than a few statements take, and a server that takes
// connections and says nothing.
func TestNobodyQueuesBehindADatabaseThatIsAway(t *testing.T) {
	const wait = time.Second
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	s, err := postgres.Open(t.Context(), pg.Deps{
		Config: pg.Config{URL: "postgres://" + silent.Addr().String() + "/hub?sslmode=disable", MaxConns: 10, AcquireTimeout: wait},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	begin := time.Now()
	var calls sync.WaitGroup
	for n := range 2000 {
		calls.Go(func() {
			_, err := s.Upsert(t.Context(), report(n))
			wantUnavailable(t, err)
		})
	}
	calls.Wait()
	// Without an end of their patience, the last of them would wait for 15 statements.
	if took := time.Since(begin); took > 8*wait {
		t.Errorf("the last one heard of it after %v", took)
	}
}
