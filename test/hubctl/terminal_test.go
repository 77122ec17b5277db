package hubctl

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal and what was shown on it.
type terminal struct {
	t               *testing.T
	master, program *os.File

	mu    sync.Mutex
	seen  bytes.Buffer
	grown chan struct{} // closed at the next growth
	read  chan struct{} // closed at the end
}

// newTerminal opens a terminal of so many columns.
func newTerminal(t *testing.T, columns uint16) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return &terminal{t: t, master: master, program: program, grown: make(chan struct{}), read: make(chan struct{})}
}

// start runs a program on the terminal; end waits for it and gives what was shown.
func (tty *terminal) start(cmd *exec.Cmd) (end func() (code int, seen string)) {
	tty.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty.program, tty.program, tty.program
	if err := cmd.Start(); err != nil {
		tty.t.Fatal(err)
	}
	_ = tty.program.Close()
	go tty.watch()
	return func() (int, string) {
		_ = cmd.Wait() // the code tells
		<-tty.read
		return cmd.ProcessState.ExitCode(), tty.text()
	}
}

// watch reads until the last program has left the terminal, which is an error of it.
func (tty *terminal) watch() {
	defer close(tty.read)
	part := make([]byte, 4096)
	for {
		n, err := tty.master.Read(part)
		tty.mu.Lock()
		tty.seen.Write(part[:n])
		close(tty.grown)
		tty.grown = make(chan struct{})
		tty.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (tty *terminal) text() string {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	return tty.seen.String()
}

// waitFor waits until a text was shown.
func (tty *terminal) waitFor(text string) {
	tty.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		tty.mu.Lock()
		grown, there := tty.grown, strings.Contains(tty.seen.String(), text)
		tty.mu.Unlock()
		if there {
			return
		}
		select {
		case <-grown:
		case <-limit:
			tty.t.Fatalf("%q was not shown, but %q", text, tty.text())
		}
	}
}

func (tty *terminal) typed(text string) {
	if _, err := tty.master.WriteString(text); err != nil {
		tty.t.Error(err)
	}
}

// on runs a call on a terminal of its own.
func (c caller) on(columns uint16, args ...string) (code int, seen string) {
	c.t.Helper()
	return newTerminal(c.t, columns).start(c.command(args...))()
}

const hostile = "Pay \x1b[31mnow\x1b[0m \u009b31m \u202egnp.exe\u2066 \a\r\nline two \U000e0041 审批订单审批订单审批订单审批订单"

func TestTablesFitTheTerminalAndObeyNobody(t *testing.T) {
	c := newCaller(t, hubURL)
	c.ok("message", "push", "--id", "tty-1", "--to", "tty-amy", "--title", hostile, "--content", "c", "--category", "审批")
	for _, columns := range []uint16{40, 60, 200} {
		_, seen := c.with("NO_COLOR=1").on(columns, "message", "inbox", "tty-amy")
		lines := strings.Split(strings.TrimSuffix(seen, "\r\n"), "\r\n")
		if len(lines) != 2 {
			t.Errorf("%d columns: %q", columns, seen)
		}
		for _, line := range lines {
			width := 0
			for _, r := range line {
				if width++; r >= 0x2e80 {
					width++
				}
			}
			if width > int(columns) || strings.ContainsFunc(line, func(r rune) bool {
				return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2066 || r > 0xe0000
			}) {
				t.Errorf("%d columns: %d wide, %q", columns, width, line)
			}
		}
	}
	_, seen := c.with("NO_COLOR=1").on(300, "message", "inbox", "tty-amy")
	if want := `Pay \x1b[31mnow\x1b[0m \u009b31m \u202egnp.exe\u2066 \x07  line two \U000e0041 审批订单`; !strings.Contains(seen, want) {
		t.Errorf("shown is %q", seen)
	}
	_, seen = c.on(200, "message", "inbox", "tty-amy", "-o", "json")
	if want := `"Pay \u001b[31mnow\u001b[0m \u009b31m \u202egnp.exe\u2066 \u0007\r\nline two \udb40\udc41 审批`; !strings.Contains(seen, want) {
		t.Errorf("JSON is %q", seen)
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	c := newCaller(t, hubURL)
	if _, seen := c.on(80, "profile", "list"); !strings.Contains(seen, "\x1b[1mPROFILE\x1b[0m") {
		t.Errorf("a terminal gets %q", seen)
	}
	for _, variable := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if _, seen := c.with(variable).on(80, "profile", "list"); strings.Contains(seen, "\x1b") {
			t.Errorf("with %s a terminal gets %q", variable, seen)
		}
	}
	if out := c.ok("profile", "list"); strings.Contains(out, "\x1b") {
		t.Errorf("a pipe gets %q", out)
	}
}
