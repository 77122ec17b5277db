package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Model is the name of the processor, or "unknown".
func Model() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(info)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// Memory is the machine's memory in bytes, or 0 when nobody tells.
func Memory() float64 {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	var kibibytes float64
	if _, err := fmt.Sscanf(string(info), "MemTotal: %f kB", &kibibytes); err != nil {
		return 0
	}
	return kibibytes * 1024
}

// Load is the load average of the last minute, or 0 when nobody tells.
func Load() float64 {
	averages, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var one float64
	if _, err := fmt.Sscan(string(averages), &one); err != nil {
		return 0
	}
	return one
}

// Fsync is the median time of a write of 8 KiB and an fsync in dir.
func Fsync(dir string) (time.Duration, error) {
	f, err := os.CreateTemp(dir, "fsync-")
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	block := make([]byte, 8<<10)
	var took Samples
	for range 100 {
		began := time.Now()
		if _, err := f.WriteAt(block, 0); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, float64(time.Since(began)))
	}
	return time.Duration(took.Median()), nil
}

// PostgresVersion is what psql on the PATH says, or "unknown".
func PostgresVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "psql", "--version").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return fields[2]
}

// RedisVersion is what redis-server on the PATH says, or "unknown".
func RedisVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "redis-server", "--version").Output()
	if _, rest, found := strings.Cut(string(out), " v="); err == nil && found {
		version, _, _ := strings.Cut(rest, " ")
		return version
	}
	return "unknown"
}
