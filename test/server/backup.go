package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Script runs a shell script in dir with settings of its own, NAME=value, and with the programs of
// PostgreSQL on its PATH. It ends at the first command that fails.
func Script(ctx context.Context, dir, script string, settings ...string) error {
	sh := exec.CommandContext(ctx, "sh", "-euc", "PATH="+filepath.Dir(tool("pg_restore"))+":$PATH\n"+script)
	sh.Dir = dir
	sh.Env = append(os.Environ(), settings...)
	if out, err := sh.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", script, err, out)
	}
	return nil
}
