package shape_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/hub/test/server"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// migration is a process that migrates.
type migration struct {
	*exec.Cmd
	lines *bufio.Scanner
}

// startMigration starts the command migrate of a hub.
func startMigration(t *testing.T, hub, database string, environ ...string) *migration {
	t.Helper()
	m := &migration{Cmd: exec.CommandContext(t.Context(), filepath.Join(bin, hub), "migrate")}
	m.Env = append([]string{"HUB_DATABASE_URL=" + database}, environ...)
	out, err := m.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.lines = bufio.NewScanner(out)
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	return m
}

// waits reads the log until the process waits for the database.
func (m *migration) waits(t *testing.T) {
	t.Helper()
	for m.lines.Scan() {
		if strings.Contains(m.lines.Text(), "waiting for the database") {
			return
		}
		t.Log(m.lines.Text())
	}
	t.Fatalf("ended without waiting: %v", m.Wait())
}

// ends gives the rest of the log, and the error of the process.
func (m *migration) ends() (string, error) {
	var rest strings.Builder
	for m.lines.Scan() {
		rest.WriteString(m.lines.Text() + "\n")
	}
	return rest.String(), m.Wait()
}

// TestMigrateWaitsForPostgres has a server that starts after the hubs' migrations.
func TestMigrateWaitsForPostgres(t *testing.T) {
	t.Parallel()
	pg, err := server.Postgres(t.Context(), filepath.Join(shapetest.Home(t), "postgres"), server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.Stop() })
	for _, hub := range shape.Hubs() {
		if err := pg.CreateDatabase(t.Context(), hub); err != nil {
			t.Fatal(err)
		}
	}
	pg.Stop()
	early := map[string]*migration{}
	for _, hub := range shape.Hubs() {
		early[hub] = startMigration(t, hub, pg.Address+" dbname="+hub)
		early[hub].waits(t)
	}
	leaving := startMigration(t, "todohub", pg.Address+" dbname=todohub", "HUB_MIGRATE_WAIT=1h")
	leaving.waits(t)
	if err := leaving.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text, err := leaving.ends(); err == nil || !strings.Contains(text, "stopped before the database was up to date") {
		t.Errorf("after SIGTERM: %v\n%s", err, text)
	}
	if err := pg.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	for hub, m := range early {
		if text, err := m.ends(); err != nil {
			t.Errorf("%s migrate: %v\n%s", hub, err, text)
		}
		if got, err := pg.Query(t.Context(), hub, "SELECT count(*) > 0 FROM schema_migrations"); err != nil || got != "t" {
			t.Errorf("%s is not migrated: %q, %v", hub, got, err)
		}
	}
}

// TestMigrateTrustsAFolderOfAuthorities gives a private authority in the way of components/stores-ca: in
// a folder as Kubernetes mounts it, which SSL_CERT_DIR names.
func TestMigrateTrustsAFolderOfAuthorities(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(*shape.Config) {})
	if err := s.Postgres.CreateDatabase(t.Context(), "empty"); err != nil {
		t.Fatal(err)
	}
	address, file, _ := strings.Cut(s.Postgres.Address, " sslrootcert=")
	authority, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mount := t.TempDir()
	err = errors.Join(
		os.Mkdir(filepath.Join(mount, "..version"), 0o700),
		os.WriteFile(filepath.Join(mount, "..version", "private.crt"), authority, 0o600),
		os.Symlink("..version", filepath.Join(mount, "..data")),
		os.Symlink("..data/private.crt", filepath.Join(mount, "private.crt")))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := startMigration(t, "todohub", address+" dbname=empty").ends(); err == nil || !strings.Contains(text, "unknown authority") {
		t.Errorf("without the authority: %v\n%s", err, text)
	}
	if text, err := startMigration(t, "todohub", address+" dbname=empty", "SSL_CERT_DIR=/etc/ssl/certs:"+mount).ends(); err != nil {
		t.Errorf("with the authority: %v\n%s", err, text)
	}
}
