package pg_test

import (
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/store/pg"
)

func TestConfigNamesEveryFault(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config pg.Config
		want   []string
	}{
		{"good", pg.Config{URL: "postgres://hub@db1,db2/hub?target_session_attrs=read-write", MaxConns: 10, AcquireTimeout: time.Second}, nil},
		{"nothing set", pg.Config{}, []string{"HUB_DATABASE_MAX_CONNS: must be from 1 to 1000", "HUB_DATABASE_ACQUIRE_TIMEOUT: ", "HUB_DATABASE_URL: must not be empty"}},
		{"too many", pg.Config{URL: "host=db", MaxConns: 1001, AcquireTimeout: time.Second}, []string{"HUB_DATABASE_MAX_CONNS: "}},
		{"no wait", pg.Config{URL: "host=db", MaxConns: 1}, []string{"HUB_DATABASE_ACQUIRE_TIMEOUT: "}},
		{"bad port", pg.Config{URL: "postgres://hub:letmein@db:port/hub", MaxConns: 1, AcquireTimeout: time.Second}, []string{"HUB_DATABASE_URL: "}},
		{"bad setting", pg.Config{URL: "host=db password=letmein sslmode=maybe", MaxConns: 0, AcquireTimeout: time.Second}, []string{"HUB_DATABASE_MAX_CONNS: ", "HUB_DATABASE_URL: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.config.Validate()
			var lines []string
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(tt.want) {
				t.Fatalf("got %q, want %d lines", lines, len(tt.want))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, tt.want[i]) || strings.Contains(line, "letmein") {
					t.Errorf("line %q, want one with %q and without the password", line, tt.want[i])
				}
			}
			db, openErr := pg.Open(t.Context(), pg.Deps{Config: tt.config}, pg.Schema{})
			if openErr == nil {
				defer db.Close()
			}
			if (openErr == nil) != (err == nil) {
				t.Errorf("Open = %v, Validate = %v", openErr, err)
			}
		})
	}
}
