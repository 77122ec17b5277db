//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// takeLock locks a file until it is closed; errLocked says that another process has it.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// Not the locks of fcntl: those belong to the whole process, and any close of the file drops them.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errLocked
	default:
		err = &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return nil, errors.Join(err, f.Close())
}
