package hub_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Of the Hub that the examples talk to: where REST and streams are, and native gRPC.
var restURL, grpcTarget string

// binary is the binary hub.
var binary string

// TestMain runs a Hub beside the tests, and finds goroutines that outlive them.
func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "hub-client-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "hub")
	if out, err := command("go", "build", "-o", binary, "./services/allinone/cmd/hub").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build hub: %w\n%s", err, out)
	}
	p, err := startHub(dir)
	if err != nil {
		return 0, err
	}
	restURL, grpcTarget = p.rest, p.grpc
	code = m.Run()
	p.stop()
	http.DefaultClient.CloseIdleConnections()
	if code == 0 {
		err = goleak.Find()
	}
	return code, err
}

// command is one that runs at the root of the repository.
func command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = "../.."
	return cmd
}

// process is a running Hub.
type process struct {
	rest, grpc string
	cmd        *exec.Cmd
	ended      chan struct{}
	log        string // what it wrote to standard error, when it has ended
}

var (
	restLine = regexp.MustCompile(`REST and streams +(\S+)`)
	grpcLine = regexp.MustCompile(`gRPC +(\S+)`)
)

// startHub starts a Hub with its data below dir, at free ports unless environ says otherwise, and waits until it
// says where it listens.
func startHub(dir string, environ ...string) (*process, error) {
	p := &process{cmd: command(binary), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_LOG_LEVEL=warn",
		"HUB_HEARTBEAT_INTERVAL=1s", "HUB_DATA_DIR="+filepath.Join(dir, "data"))
	p.cmd.Env = append(p.cmd.Env, environ...)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	outs := make(chan struct{})
	go func() {
		defer close(p.ended)
		text, _ := io.ReadAll(log)
		p.log = string(text)
		<-outs
		_ = p.cmd.Wait()
	}()
	for lines := bufio.NewScanner(out); p.grpc == ""; {
		if !lines.Scan() {
			close(outs)
			<-p.ended
			return nil, fmt.Errorf("hub did not start: %s", p.log)
		}
		if found := restLine.FindStringSubmatch(lines.Text()); found != nil {
			p.rest = found[1]
		}
		if found := grpcLine.FindStringSubmatch(lines.Text()); found != nil {
			p.grpc = found[1]
		}
	}
	go func() {
		defer close(outs)
		_, _ = io.Copy(io.Discard, out)
	}()
	return p, nil
}

// stop ends the process in order, or after 10 seconds without.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	<-p.ended
}

// kill ends the process without warning.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// started is a Hub of its own for a test.
func started(t *testing.T, dir string, environ ...string) *process {
	t.Helper()
	p, err := startHub(dir, environ...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	return p
}

// fresh makes a name that no other test has.
func fresh(t *testing.T, name string) string {
	t.Helper()
	return name + "-" + strings.ReplaceAll(t.Name(), "/", "-")
}
