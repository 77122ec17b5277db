package front

import "syscall"

func hold(fd uintptr)    { cork(fd, 1) }
func release(fd uintptr) { cork(fd, 0) }

func cork(fd uintptr, on int) {
	_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CORK, on)
}
