// Package version tells which build this is.
package version

import (
	"fmt"
	"runtime"
)

// version is set by the linker; see the Makefile.
var version = "unknown"

// Number names the build alone.
func Number() string { return version }

// String names the build and the Go release that made it.
func String() string { return fmt.Sprintf("%s (%s)", version, runtime.Version()) }
