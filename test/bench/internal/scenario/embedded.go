package scenario

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
	"example.com/hub/test/shape"
)

// seedFile is seedTodos for SQLite.
const seedFile = `
WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < $1 * $2 - 1)
INSERT INTO todo (create_time, modify_time, type, status, due_at, id, source_system, source_biz_id,
	assignee_username, initiator_username, title, summary, category, action_url, creator_id, modifier_id)
SELECT 1790000000000000 - n * 1000000, 1790000000000000 - n * 1000000, 1, 1, 1790000000000000 + n * 60000000,
	'todo-' || n, 'erp', 'order-' || n, printf('user-%06d', n % $1), 'initiator-' || n % 97,
	'Approve order ' || n || ' of the furniture contract',
	'Twelve desks and chairs. Twelve desks and chairs. Twelve desks and chairs. Twelve desks and chairs. ', 'order',
	'https://erp.example.com/orders/' || n, 'erp', 'erp'
FROM s`

// runEmbedded measures scenarios 13 and 15, both on the one-process Hub.
func runEmbedded(ctx context.Context, e Env, home string, r *Result) error {
	r.part(ctx, "15a 15b", nil, func() ([]report.Row, []plot.Chart, error) {
		starts, again, resident, err := starts(ctx, e, home)
		return []report.Row{
			{
				ID: "15a", Scenario: "hub: first start to the first answer", Unit: "s", Hub: starts, Target: report.AtMost(0.5),
				Note: fmt.Sprintf("it makes a signing key and its files; a later start takes %.2f s", again.Median()),
			},
			{ID: "15b", Scenario: "hub: idle memory (RSS)", Unit: "MiB", Hub: resident, Target: report.AtMost(40)},
		}, nil, err
	})
	dir := filepath.Join(home, "list")
	people := e.size(1_000, 100)
	file, err := seedHub(ctx, e, dir, people)
	if err != nil {
		return fmt.Errorf("seed the file: %w", err)
	}
	h, err := stage.StartHub(ctx, e.Bin, dir, e.Profiles != "")
	if err != nil {
		return err
	}
	defer h.Stop()
	token, err := shape.Token(ctx, http.DefaultClient, "http://"+h.Addr)
	if err != nil {
		return err
	}
	hub := side{addr: h.Addr, token: token, pids: []int{h.PID}, services: []stage.Service{h.Service}}
	r.part(ctx, "15c", nil, func() ([]report.Row, []plot.Chart, error) {
		row, err := embeddedList(ctx, e, hub, file, people)
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "15d", nil, func() ([]report.Row, []plot.Chart, error) {
		row, err := embeddedUpserts(ctx, e, hub, people)
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "13", nil, func() ([]report.Row, []plot.Chart, error) {
		row, err := tokenChecks(ctx, e, h.Addr, token)
		return []report.Row{row}, nil, err
	})
	return nil
}

// starts gives seconds of first and later starts, and MiB at rest.
func starts(ctx context.Context, e Env, home string) (first, later, resident measure.Samples, err error) {
	for round := range e.Rounds {
		dir := filepath.Join(home, fmt.Sprint("start-", round))
		for _, into := range []*measure.Samples{&first, &later} {
			h, err := stage.StartHub(ctx, e.Bin, dir, false)
			if err != nil {
				return nil, nil, nil, err
			}
			*into = append(*into, h.Start.Seconds())
			if into == &first {
				if err := measure.Pause(ctx, time.Second); err != nil {
					h.Stop()
					return nil, nil, nil, err
				}
				bytes, err := measure.Resident(h.PID)
				if err != nil {
					h.Stop()
					return nil, nil, nil, err
				}
				resident = append(resident, bytes/(1<<20))
			}
			h.Stop()
		}
	}
	return first, later, resident, nil
}

// embeddedList compares lists of Hub with those of a bare handler on a copy of its file.
func embeddedList(ctx context.Context, e Env, hub side, file string, people int) (report.Row, error) {
	bare, err := stage.Baseline(ctx, "sqlite", file)
	if err != nil {
		return report.Row{}, err
	}
	defer bare.Stop()
	baseline := side{addr: bare.Addr, pids: []int{bare.PID}, services: []stage.Service{bare.Service}}
	c, err := compare(ctx, e, "15c", connections, hub, baseline, listTodos(people))
	return c.rate("15c", "hub: list of 20 with token, against a bare handler on SQLite, 16 at once",
		report.RatioAtLeast(0.82).WithGoal(0.9)), err
}

// embeddedUpserts measures how many upserts Hub takes, each of which is on disk before it is answered.
func embeddedUpserts(ctx context.Context, e Env, hub side, people int) (report.Row, error) {
	row := report.Row{
		ID: "15d", Scenario: "hub: upsert with token, 64 at once, every commit on disk", Unit: "requests/s", Target: report.AtLeast(10_000),
		Note: "SQLite with an fsync for each commit",
	}
	take := func() (float64, error) {
		r, err := hub.under(ctx, e, row.ID, &row.HubUse, func() (load.Result, error) {
			return load.Run(ctx, hub.addr, crowded, e.window(), upsertTodos(people)(hub.token))
		})
		return r.Rate(), err
	}
	if _, err := take(); err != nil {
		return row, err
	}
	row.HubUse = report.Use{}
	var err error
	row.Hub, err = measure.Repeat(e.Rounds, take)
	return row, err
}

// seedHub lets hub make its files, fills the todos and gives a copy of that file.
func seedHub(ctx context.Context, e Env, dir string, people int) (copied string, err error) {
	h, err := stage.StartHub(ctx, e.Bin, dir, false)
	if err != nil {
		return "", err
	}
	h.Stop()
	file := filepath.Join(dir, "todohub.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return "", err
	}
	if _, err := db.ExecContext(ctx, seedFile, people, todosEach); err != nil {
		_ = db.Close()
		return "", err
	}
	// The last connection folds the log into the file.
	if err := db.Close(); err != nil {
		return "", err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	copied = filepath.Join(dir, "copy.db")
	return copied, os.WriteFile(copied, data, 0o600)
}

// tokenChecks measures scenario 13: a verifier with a warm cache, as every service has one.
func tokenChecks(ctx context.Context, e Env, addr, raw string) (report.Row, error) {
	row := report.Row{
		ID: "13", Scenario: "token check with a warm cache", Unit: "us", Target: report.AtMost(2),
		Note: "the cache holds 10,000 tokens for at most 4 minutes (pkg/auth/token, tested there)",
	}
	verifier, keys := token.Settings{
		PublicURL: "http://" + addr, ClientIDClaims: []string{"client_id", "azp"}, ScopeClaims: []string{"scope", "scp"},
	}.Open(slog.New(slog.DiscardHandler))
	defer keys.Close()
	for deadline := time.Now().Add(deliveryTime); keys.Ready(ctx) != nil; {
		if err := measure.Pause(ctx, time.Millisecond); err != nil {
			return row, err
		}
		if time.Now().After(deadline) {
			return row, fmt.Errorf("no signing keys: %w", keys.Ready(ctx))
		}
	}
	checks := e.size(500_000, 10_000)
	var err error
	row.Hub, err = measure.Repeat(e.Rounds, func() (float64, error) {
		if _, err := verifier.Verify(ctx, raw); err != nil {
			return 0, err
		}
		began := time.Now()
		for range checks {
			if _, err := verifier.Verify(ctx, raw); err != nil {
				return 0, err
			}
		}
		return float64(time.Since(began).Microseconds()) / float64(checks), nil
	})
	return row, err
}
