package postgres_test

import (
	"testing"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/portalhub/internal/people"
	"example.com/hub/services/portalhub/store/postgres"
)

// fillDirectory stores 100,000 people in 5,000 departments, each of which has up to eight below it, and a role
// of 10,000 members.
var fillDirectory = []string{
	`INSERT INTO dept (create_time, modify_time, dept_id, parent_id, name, creator_id, modifier_id)
		SELECT now(), now(), 'dept' || n, CASE n WHEN 0 THEN '' ELSE 'dept' || (n - 1) / 8 END, 'n', 'hr', 'hr'
		FROM generate_series(0, 4999) AS n`,
	`INSERT INTO person (create_time, modify_time, origin, active, username, user_id, name, email, dept_id, creator_id, modifier_id)
		SELECT now(), now(), 1, true, 'user' || lpad(n::text, 6, '0'), 'id' || lpad(n::text, 6, '0'), 'Name ' || n, '', 'dept' || n % 5000, 'hr', 'hr'
		FROM generate_series(0, 99999) AS n`,
	`INSERT INTO role (create_time, modify_time, role_id, name, creator_id, modifier_id) VALUES (now(), now(), 'r', 'n', 'hr', 'hr')`,
	`INSERT INTO role_member (role_id, user_id) SELECT 'r', 'id' || lpad((n * 10)::text, 6, '0') FROM generate_series(0, 9999) AS n`,
}

// TestDirectoryPlans checks that no list of people reads the whole table, and how many blocks a page looks at:
// those of its own rows, of each department that counts, and of each member of a role.
func TestDirectoryPlans(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"dept", "person", "role", "role_member"}, fillDirectory...)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			walk   people.WalkParams
			blocks int
		}{
			"first page":      {people.WalkParams{}, 100},
			"deep page":       {people.WalkParams{After: "user050000"}, 100},
			"one department":  {people.WalkParams{Filter: people.Filter{DeptID: "dept4999"}}, 150},
			"all departments": {people.WalkParams{Filter: people.Filter{DeptID: "dept0"}}, 60_000},
			"a role":          {people.WalkParams{Filter: people.Filter{RoleID: "r"}}, 50_000},
			"a prefix":        {people.WalkParams{Prefix: "user00001"}, 100},
		} {
			t.Run(planner+"/"+name, func(t *testing.T) {
				tt.walk.Size = 21
				query, args := postgres.PeopleWalk(tt.walk)
				plan := pgtest.Explain(t, conn, query, args...)
				if n := plan.Hit + plan.Read; n > tt.blocks {
					t.Errorf("it looks at %d blocks, want at most %d: %+v", n, tt.blocks, plan)
				}
				for _, scan := range plan.Find("Seq Scan") {
					if scan.Rows > 10_000 {
						t.Errorf("a scan of %v rows", scan.Rows)
					}
				}
			})
		}
	}
}
