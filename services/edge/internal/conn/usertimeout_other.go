//go:build !linux

package conn

import (
	"syscall"
	"time"
)

// setUserTimeout does nothing; dead peers are found by TCP's own retries.
func setUserTimeout(syscall.RawConn, time.Duration) {}
