package manifests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"example.com/hub/test/source"
)

// Binaries are Hub's services, built from the code beside the manifests.
type Binaries struct {
	dir string
	// settings are the defaults of the settings by their names, by binary and command.
	settings map[[2]string]map[string]string
	// metrics are the names of what Hub measures.
	metrics []string
}

// Build builds the binaries of the repository at root into dir and asks each for its settings.
func Build(ctx context.Context, root, dir string) (*Binaries, error) {
	b := &Binaries{dir: dir, settings: map[[2]string]map[string]string{}}
	// The services that have an image, and so not the binary hub, have a command of their name.
	services, err := filepath.Glob(filepath.Join(root, "services", "*hub"))
	if err != nil {
		return nil, err
	}
	services = append(services, "edge")
	for i, s := range services {
		services[i] = filepath.Base(s)
	}
	if err := source.Build(ctx, root, dir, services); err != nil {
		return nil, err
	}
	for _, s := range services {
		help, err := exec.CommandContext(ctx, filepath.Join(dir, s), "--help").Output()
		if err != nil {
			return nil, fmt.Errorf("%s --help: %w", s, err)
		}
		b.learn(s, string(help))
	}
	table, err := os.ReadFile(filepath.Join(root, "docs", "operations", "metrics.md"))
	if err != nil {
		return nil, err
	}
	for _, m := range metricPattern.FindAllStringSubmatch(string(table), -1) {
		b.metrics = append(b.metrics, m[1])
	}
	return b, nil
}

var (
	titlePattern   = regexp.MustCompile(`^Settings of (\S+),`)
	settingPattern = regexp.MustCompile(`^  (HUB_[A-Z0-9_]+) +(\S+)`)
	metricPattern  = regexp.MustCompile(`(?m)^\| .(hub_[a-z0-9_]+)`)
)

func (b *Binaries) learn(binary, help string) {
	var command [2]string
	for line := range strings.Lines(help) {
		if m := titlePattern.FindStringSubmatch(line); m != nil {
			command = [2]string{binary, m[1]}
			b.settings[command] = map[string]string{}
		} else if m := settingPattern.FindStringSubmatch(line); m != nil {
			b.settings[command][m[1]] = strings.TrimPrefix(m[2], "-")
		}
	}
}

// Has tells whether there is a binary of this name.
func (b *Binaries) Has(binary string) bool {
	return b.settings[[2]string{binary, "serve"}] != nil
}

// Settings gives the defaults of the settings of a command by their names; nil if there is no such
// command.
func (b *Binaries) Settings(binary, command string) map[string]string {
	return b.settings[[2]string{binary, command}]
}

// Faults asks a binary what it thinks of its settings, without letting it start: it gets one that is
// surely wrong besides, since it names all wrong ones and ends.
func (b *Binaries) Faults(binary, command string, environ map[string]string) []string {
	wrong := "HUB_DATABASE_MAX_CONNS"
	if b.Settings(binary, command)["HUB_LOG_LEVEL"] != "" {
		wrong = "HUB_LOG_LEVEL"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	run := exec.CommandContext(ctx, filepath.Join(b.dir, binary), command)
	for name, value := range environ {
		if name != wrong {
			run.Env = append(run.Env, name+"="+value)
		}
	}
	run.Env = append(run.Env, wrong+"=wrong")
	out, err := run.CombinedOutput()
	if err == nil || !strings.Contains(string(out), wrong+": ") {
		return []string{fmt.Sprintf("%s %s: %v: %s", binary, command, err, out)}
	}
	var faults []string
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, wrong+": ") {
			faults = append(faults, strings.TrimSpace(line))
		}
	}
	return faults
}
