package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/sqlitefile"
)

func TestFileIsDurableAndPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data #1?x=y %41", "todo.db")
	db := openFile(t, path)
	got := map[string]string{}
	for _, pragma := range []string{"journal_mode", "synchronous", "busy_timeout", "foreign_keys"} {
		var value string
		if err := db.Write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&value); err != nil {
			t.Fatal(err)
		}
		got[pragma] = value
	}
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	for p, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("%s has mode %v, want %v", p, info.Mode(), mode)
		}
	}
}

func TestReadersCannotWrite(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "todo.db"))
	if _, err := db.Read.ExecContext(t.Context(), `CREATE TABLE a (x INTEGER)`); err == nil {
		t.Error("a reader could write")
	}
}

func TestTransactionTakesWriteLockAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "todo.db")
	db := openFile(t, path)
	if n := db.Write.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("the write handle may open %d connections, want 1", n)
	}
	other := openFile(t, path)
	if _, err := other.Write.ExecContext(t.Context(), `PRAGMA busy_timeout = 0`); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Write.ExecContext(t.Context(), `CREATE TABLE a (x INTEGER)`)
	if err = other.Failed(t.Context(), "create", err); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a second writer got %v, want busy", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write.ExecContext(t.Context(), `CREATE TABLE a (x INTEGER)`); err != nil {
		t.Errorf("after the first writer: %v", err)
	}
}

// TestLogIsFolded writes twice what the log may have.
func TestLogIsFolded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.db")
	db := openFile(t, path)
	if _, err := db.Write.ExecContext(t.Context(), `CREATE TABLE a (x BLOB)`); err != nil {
		t.Fatal(err)
	}
	for range 32 {
		if _, err := db.Write.ExecContext(t.Context(), `INSERT INTO a VALUES (zeroblob(1024 * 1024))`); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if mib := float64(log.Size()) / (1 << 20); mib < 15 || mib > 18 {
		t.Errorf("the log has %.1f MiB, want about 16", mib)
	}
}

func TestOpenNamesPathAndReason(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	// What root may write to, too, is refused here, so that the test is the same for everybody.
	circle := filepath.Join(dir, "circle")
	if err := os.Symlink("circle", circle); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"below a file", filepath.Join(file, "todo.db"), "not a directory"},
		{"a folder", filepath.Join(dir, "folder"), "is a directory"},
		{"not a database", file, "file is not a database"},
		{"a link to itself", circle, "too many levels of symbolic links"},
		{"a name that is too long", filepath.Join(dir, strings.Repeat("x", 300)), "file name too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := sqlitefile.Open(t.Context(), tt.path)
			if err == nil {
				t.Fatal("Open succeeded")
			}
			got := err.Error()
			if !strings.HasPrefix(got, "open "+tt.path+": ") || !strings.Contains(got, tt.want) || strings.Contains(got, "\n") {
				t.Errorf("Open = %q, want one line with the path and %q", got, tt.want)
			}
		})
	}
}
