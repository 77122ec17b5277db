package upgrade

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/hub/test/source"
)

// laterTables are the tables that the migration to come widens, of each hub that the previous release has.
var laterTables = map[string][]string{
	"todohub":    {"todo"},
	"messagehub": {"message", "body", "inbox"},
}

// laterColumns are what a migration may add (docs/operations/upgrade.md, Migrations).
var laterColumns = map[string]string{
	"postgres": "ADD COLUMN later_null timestamptz, ADD COLUMN later_default text NOT NULL DEFAULT ''",
	"sqlite":   "ADD COLUMN later_default TEXT NOT NULL DEFAULT ''",
}

// laterMigrations writes one more migration for each store below folder, and gives the file by which
// go build takes them for files of the repository.
func laterMigrations(folder string) (overlay string, err error) {
	added := map[string]string{}
	for hub, tables := range laterTables {
		for engine, columns := range laterColumns {
			migrations, err := filepath.Abs(filepath.Join(source.Root, "services", hub, "store", engine, "migrations"))
			if err != nil {
				return "", err
			}
			known, err := filepath.Glob(filepath.Join(migrations, "*.sql"))
			if err != nil || len(known) == 0 {
				return "", fmt.Errorf("migrations in %s: %d, %w", migrations, len(known), err)
			}
			var text strings.Builder
			for _, table := range tables {
				fmt.Fprintf(&text, "ALTER TABLE %s %s;\n", table, columns)
			}
			file := filepath.Join(folder, hub+"-"+engine+".sql")
			if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
				return "", err
			}
			added[filepath.Join(migrations, fmt.Sprintf("%04d_%s.sql", len(known)+1, laterName))] = file
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": added})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// laterName is the name of the migration to come.
const laterName = "add_later"
