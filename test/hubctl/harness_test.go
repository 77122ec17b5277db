// Package hubctl tests the command-line tool as people and programs call it: its binary, against the binary
// hub.
package hubctl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hub/test/source"
)

// These are made by TestMain: the folder of the binaries, and the address of a hub with a heartbeat each
// second.
var bin, hubURL string

func TestMain(m *testing.M) {
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func prepare(m *testing.M) (code int, err error) {
	if bin, err = os.MkdirTemp("", "hubctl-test-"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(bin)) }()
	if err := source.Build(context.Background(), source.Root, bin, []string{"hub", "hubctl"}); err != nil {
		return 1, err
	}
	url, stop, err := startHub(filepath.Join(bin, "data"))
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	hubURL = url
	return m.Run(), nil
}

// startHub starts a hub and gives its address, which it prints.
func startHub(data string, environ ...string) (url string, stop func() error, err error) {
	cmd := exec.Command(filepath.Join(bin, "hub"))
	cmd.Env = append(os.Environ(), "HUB_DATA_DIR="+data, "HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0",
		"HUB_HEARTBEAT_INTERVAL=1s", "HUB_LOG_LEVEL=error")
	cmd.Env = append(cmd.Env, environ...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		url = address.FindString(lines.Text())
	}
	read := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, out)
		close(read)
	}()
	stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-read
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("hub: %w\n%s", err, &log)
		}
		return nil
	}
	if url == "" {
		return "", nil, errors.Join(errors.New("hub tells no address"), stop())
	}
	return url, stop, nil
}

// caller calls hubctl with a folder of settings of its own.
type caller struct {
	t       *testing.T
	environ []string
}

// newCaller has the client erp of a Hub in its environment.
func newCaller(t *testing.T, url string) caller {
	t.Helper()
	return bare(t).with("HUBCTL_URL="+url, "HUBCTL_CLIENT_ID=erp", "HUBCTL_CLIENT_SECRET=erp-secret")
}

// bare knows no Hub.
func bare(t *testing.T) caller {
	t.Helper()
	return caller{t, []string{"HOME=" + t.TempDir(), "TZ=UTC"}}
}

func (c caller) with(environ ...string) caller {
	c.environ = append(c.environ[:len(c.environ):len(c.environ)], environ...)
	return c
}

// settings is the file of profiles.
func (c caller) settings() string {
	return filepath.Join(strings.TrimPrefix(c.environ[0], "HOME="), ".config", "hubctl", "profiles.json")
}

func (c caller) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	c.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "hubctl"), args...)
	cmd.Env = c.environ
	return cmd
}

// result is what a call came to.
type result struct {
	code      int
	out, errs string
}

func (r result) String() string { return fmt.Sprintf("exit %d\n%s%s", r.code, r.out, r.errs) }

func (c caller) run(stdin string, args ...string) result {
	c.t.Helper()
	var out, errs bytes.Buffer
	cmd := c.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	_ = cmd.Run() // the code tells
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// ok runs what must succeed and gives what it prints.
func (c caller) ok(args ...string) string {
	c.t.Helper()
	r := c.run("", args...)
	if r.code != 0 {
		c.t.Fatalf("hubctl %q: %s", args, r)
	}
	return r.out
}

// matches tells whether a text is as wanted, where … stands for anything within a line and ⋮ for any lines.
func matches(got, want string) bool {
	pattern := strings.NewReplacer("…", `[^\n]*`, "⋮", `(?s:.*)`).Replace(regexp.QuoteMeta(want))
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got)
}

// hubWith starts a hub with these clients for the test.
func hubWith(t *testing.T, clients string) (url string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "clients.json")
	if err := os.WriteFile(file, []byte(clients), 0o600); err != nil {
		t.Fatal(err)
	}
	url, stop, err := startHub(filepath.Join(dir, "data"), "HUB_CLIENTS_FILE="+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return url
}
