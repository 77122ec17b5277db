//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package datadir

import "os"

// takeLock locks nothing: this system lacks flock, and a second process is not noticed.
func takeLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}
