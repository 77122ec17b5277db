package server

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Signal sends a signal to a process. After SIGSTOP it waits until the process stands still: its threads run on
// until one of them has taken the signal, which a busy machine may put off. Only Linux tells.
func Signal(p *os.Process, sig syscall.Signal) error {
	if err := p.Signal(sig); err != nil || sig != syscall.SIGSTOP {
		return err
	}
	for range time.Tick(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
		if err != nil {
			return nil //nolint:nilerr // it is gone, or this is no Linux
		}
		// The state follows the name, which is in parentheses and may have others.
		if end := bytes.LastIndexByte(stat, ')'); bytes.HasPrefix(stat[end+1:], []byte(" T")) {
			return nil
		}
	}
	return nil
}
