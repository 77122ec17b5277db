package server_test

import (
	"path/filepath"
	"testing"

	"example.com/hub/test/server"
	"example.com/hub/test/shape/shapetest"
)

// TestVolatileKeepsWhatWasCommitted stops a server right after a restore, whose last step is the key of a table,
// as one does that makes a cluster for others.
func TestVolatileKeepsWhatWasCommitted(t *testing.T) {
	dir := filepath.Join(shapetest.Home(t), "postgres")
	for _, statements := range [][]string{
		{"CREATE TABLE todo (id text NOT NULL)", "ALTER TABLE todo ADD PRIMARY KEY (id)"},
		{"INSERT INTO todo VALUES ('1') ON CONFLICT (id) DO NOTHING"},
	} {
		pg, err := server.Postgres(t.Context(), dir, server.Volatile)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range statements {
			if _, err := pg.Query(t.Context(), "postgres", statement); err != nil {
				t.Error(err)
			}
		}
		pg.Stop()
	}
}
