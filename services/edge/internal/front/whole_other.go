//go:build !linux

package front

func hold(uintptr)    {}
func release(uintptr) {}
