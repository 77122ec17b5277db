// Package reload keeps what files say that are replaced while the process runs, as Kubernetes does with
// the Secrets that it mounts.
//
// The files are read again on use, every few seconds at most, and compared by their content: times of
// files are too coarse to tell two quick changes apart. Nothing is watched, since the files of a mounted
// Secret are links behind links, of which notifications get lost.
package reload

import (
	"cmp"
	"crypto/sha256"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Every is how often files are read at most; a change counts with the first use so much later.
const Every = 5 * time.Second

// Deps is what a Value is made of.
type Deps[T any] struct {
	// Files are read together, so that nothing of a bad set comes into force.
	Files []File
	// Parse makes the value of their content, in the order of Files; nil stands for a file without a path.
	// Its errors name the settings at fault.
	Parse func(content [][]byte) (T, error)
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets a line for a change and one for a problem; nil means slog.Default().
	Logger *slog.Logger
}

// Value is what files said when they were last good.
type Value[T any] struct {
	deps    Deps[T]
	current atomic.Pointer[version[T]]

	mu      sync.Mutex // held while the files are read
	checked time.Time
	problem string // logged last
}

type version[T any] struct {
	value T
	sum   [sha256.Size]byte
}

// Open reads the files for the first time. The error names the setting at fault.
func Open[T any](d Deps[T]) (*Value[T], error) {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	d.Logger = cmp.Or(d.Logger, slog.Default())
	v := &Value[T]{deps: d, checked: d.Clock()}
	if _, err := v.read(); err != nil {
		return nil, err
	}
	return v, nil
}

// Current gives the value. While another caller reads the files, it is the one before.
func (v *Value[T]) Current() T {
	if v.mu.TryLock() {
		if now := v.deps.Clock(); now.Sub(v.checked) >= Every {
			v.check(now)
		}
		v.mu.Unlock()
	}
	return v.current.Load().value
}

// Check reads the files whether or not it is time.
func (v *Value[T]) Check() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.check(v.deps.Clock())
}

// check takes over what is in the files if it is good and new. The same problem is logged once.
func (v *Value[T]) check(now time.Time) {
	v.checked = now
	changed, err := v.read()
	switch {
	case err == nil:
		v.problem = ""
		if changed {
			v.deps.Logger.Info("files read again", "files", v.paths())
		}
	case err.Error() != v.problem:
		v.problem = err.Error()
		v.deps.Logger.Error("files not read again, what was read before stays in force", "error", err)
	}
}

func (v *Value[T]) read() (changed bool, err error) {
	content, err := readAll(v.deps.Files)
	if err != nil {
		return false, err
	}
	sum := sumOf(content)
	if last := v.current.Load(); last != nil && last.sum == sum {
		return false, nil
	}
	value, err := v.deps.Parse(content)
	if err != nil {
		return false, err
	}
	v.current.Store(&version[T]{value, sum})
	return true, nil
}

func (v *Value[T]) paths() (paths []string) {
	for _, f := range v.deps.Files {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func sumOf(content [][]byte) (total [sha256.Size]byte) {
	h := sha256.New()
	for _, c := range content {
		part := sha256.Sum256(c)
		h.Write(part[:])
	}
	h.Sum(total[:0])
	return total
}
