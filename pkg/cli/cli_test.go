package cli_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/log"
)

type settings struct {
	Size int `env:"HUB_SIZE" envDefault:"3" help:"how many"`
}

func program(cfg *settings, run func(args []string) error) cli.Program {
	return cli.Program{Name: "demo", Summary: "shows.", Commands: []cli.Command{
		{Name: "serve", Help: "serves", Settings: cfg, Run: func(_ context.Context, io cli.IO, args []string) error {
			io.Logger(log.Config{Format: "text"})
			return run(args)
		}},
		{Name: "greet", Args: "NAME", Help: "greets", Details: "A name is a word.", Run: func(_ context.Context, _ cli.IO, args []string) error {
			if len(args) != 1 {
				return cli.ErrUsage
			}
			return run(args)
		}},
	}}
}

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		args    []string
		environ []string
		err     error
		code    int
		stdout  string
		stderr  string
	}{
		{name: "serves", args: []string{"serve"}, environ: []string{"HUB_SIZE=4"}},
		{name: "help", args: []string{"--help"}, stdout: "HUB_SIZE  3  how many"},
		{name: "details in the help", args: []string{"--help"}, stdout: "\nA name is a word.\n"},
		{name: "help of a command", args: []string{"greet", "--help"}, stdout: "HUB_SIZE  3  how many"},
		{name: "version", args: []string{"--version"}, stdout: "demo "},
		{name: "no command", code: 2, stderr: "demo: which command? See demo --help.\n"},
		{name: "unknown command", args: []string{"fly"}, code: 2, stderr: `demo: there is no "fly". See demo --help.`},
		{name: "too many arguments", args: []string{"serve", "now"}, code: 2, stderr: `demo: there is no "now".`},
		{name: "wrong arguments", args: []string{"greet"}, code: 2, stderr: "usage: demo greet NAME\n"},
		{name: "wrong setting", args: []string{"serve"}, environ: []string{"HUB_SIZE=x"}, code: 2, stderr: "demo: HUB_SIZE: "},
		{
			name: "wrong setting beside an unknown one", args: []string{"serve"}, environ: []string{"HUB_SIZE=x", "HUB_SICE=4"}, code: 2,
			stderr: "demo: HUB_SICE: there is no such setting; is HUB_SIZE meant?\n",
		},
		{
			name: "unknown setting", args: []string{"serve"}, environ: []string{"HUB_SICE=4"},
			stderr: `level=WARN msg="setting ignored" reason="HUB_SICE: there is no such setting; is HUB_SIZE meant?"`,
		},
		{
			name: "setting of another binary", args: []string{"serve"}, environ: []string{"HUB_MAX_TARGETS=4"},
			stderr: `level=INFO msg="settings ignored, which other binaries of Hub have and this one has not" names=HUB_MAX_TARGETS`,
		},
		{name: "failure", args: []string{"serve"}, err: errors.New("a\nb"), code: 1, stderr: "demo: a\ndemo: b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			var cfg settings
			p := program(&cfg, func([]string) error { return tt.err })
			code := p.Run(t.Context(), tt.args, tt.environ, cli.IO{Out: &out, Err: &errs})
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if !strings.Contains(out.String(), tt.stdout) || tt.stdout == "" && out.Len() > 0 {
				t.Errorf("stdout %q, want %q", out.String(), tt.stdout)
			}
			if !strings.Contains(errs.String(), tt.stderr) || tt.stderr == "" && errs.Len() > 0 {
				t.Errorf("stderr %q, want %q", errs.String(), tt.stderr)
			}
		})
	}
}
