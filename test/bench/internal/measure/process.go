package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc, which Linux fixes for programs.
const tick = 10 * time.Millisecond

// CPU is the processor time that the processes have used.
func CPU(pids ...int) (time.Duration, error) {
	var sum time.Duration
	for _, pid := range pids {
		fields, err := stat(pid)
		if err != nil {
			return 0, err
		}
		// utime and stime (proc(5), fields 14 and 15; fields begins with field 3).
		used, err := ticks(fields[11:13])
		if err != nil {
			return 0, fmt.Errorf("read the processor time of %d: %w", pid, err)
		}
		sum += used
	}
	return sum, nil
}

// Family is the processor time of a process and of its children, also of those that have ended.
func Family(pid int) (time.Duration, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	// cutime and cstime follow, which are those of the children that have ended.
	sum, err := ticks(fields[11:15])
	if err != nil {
		return 0, fmt.Errorf("read the processor time of %d: %w", pid, err)
	}
	err = eachChild(pid, func(_ int, fields []string) error {
		used, err := ticks(fields[11:13])
		sum += used
		return err
	})
	return sum, err
}

// ticks adds processor times.
func ticks(fields []string) (sum time.Duration, err error) {
	for _, field := range fields {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// Usage is the processor time of processes from a moment on.
type Usage struct {
	pids   []int
	before time.Duration
}

// Use begins to count.
func Use(pids ...int) (Usage, error) {
	before, err := CPU(pids...)
	return Usage{pids, before}, err
}

// Per gives the microseconds since then for each of n requests. The kernel counts in steps of 10 ms, so
// that n should be large.
func (u Usage) Per(n int) (float64, error) {
	after, err := CPU(u.pids...)
	return float64((after - u.before).Microseconds()) / float64(n), err
}

// MiB is the resident memory of all of them now.
func (u Usage) MiB() (float64, error) {
	var sum float64
	for _, pid := range u.pids {
		bytes, err := Resident(pid)
		if err != nil {
			return 0, err
		}
		sum += bytes / (1 << 20)
	}
	return sum, nil
}

// Resident is the resident memory of a process in bytes.
func Resident(pid int) (float64, error) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	var total, pages int
	if _, err := fmt.Sscan(string(statm), &total, &pages); err != nil {
		return 0, fmt.Errorf("read the memory of %d: %w", pid, err)
	}
	return float64(pages * os.Getpagesize()), nil
}

// Children are the processes that parent started, by the names of their executables.
func Children(parent int) (map[string]int, error) {
	children := map[string]int{}
	err := eachChild(parent, func(pid int, _ []string) error {
		if executable, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
			children[filepath.Base(executable)] = pid
		}
		return nil
	})
	return children, err
}

// eachChild calls f with each child of a process and the fields of stat.
func eachChild(parent int, f func(pid int, fields []string) error) error {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		// A process that is gone by now is nobody's child.
		fields, err := stat(pid)
		if err != nil || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if err := f(pid, fields); err != nil {
			return err
		}
	}
	return nil
}

// stat gives the fields of /proc/PID/stat from the third on, since the second may hold blanks.
func stat(pid int) ([]string, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
	if len(fields) < 20 {
		return nil, fmt.Errorf("the kernel's line on process %d has %d fields", pid, len(fields))
	}
	return fields, nil
}
