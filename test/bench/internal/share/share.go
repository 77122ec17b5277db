// Package share tells what processor time goes into, from the samples of Go's profiles.
package share

import (
	"bytes"
	"strings"

	"github.com/google/pprof/profile"
)

// Kind is what time goes into.
type Kind int

// The kinds, in the order of reports.
const (
	System Kind = iota
	Scheduler
	Stacks
	Collector
	HTTP
	GRPC
	JSON
	PGX
	SQLite
	Redis
	Own
	Other
	kinds
)

// Names say for a reader what the kinds are.
var Names = [kinds]string{
	System:    "system calls",
	Scheduler: "scheduler of Go",
	Stacks:    "stacks that grow",
	Collector: "garbage collection",
	HTTP:      "HTTP",
	GRPC:      "gRPC",
	JSON:      "JSON",
	PGX:       "driver of PostgreSQL",
	SQLite:    "SQLite",
	Redis:     "client of Redis",
	Own:       "own code",
	Other:     "anything else",
}

// prefixes are how the names of functions begin. Of several that fit, the longest says the kind.
var prefixes = map[string]Kind{
	"syscall.": System, "internal/runtime/syscall": System, "runtime.futex": System, "runtime.usleep": System,
	"runtime.osyield": System, "runtime.madvise": System, "runtime.tgkill": System,

	"runtime.mcall": Scheduler, "runtime.schedule": Scheduler, "runtime.findRunnable": Scheduler, "runtime.mstart": Scheduler,
	"runtime.park_m": Scheduler, "runtime.ready": Scheduler, "runtime.goready": Scheduler, "runtime.wakep": Scheduler,
	"runtime.startm": Scheduler, "runtime.stopm": Scheduler, "runtime.netpoll": Scheduler, "runtime.newproc": Scheduler,
	"runtime.goexit0": Scheduler, "runtime.sysmon": Scheduler, "runtime.injectglist": Scheduler,

	"runtime.morestack": Stacks, "runtime.newstack": Stacks, "runtime.copystack": Stacks,

	"runtime.gcBgMarkWorker": Collector, "runtime.gcDrain": Collector, "runtime.gcAssist": Collector, "runtime.gcStart": Collector,
	"runtime.gcMark": Collector, "runtime.gcWriteBarrier": Collector, "runtime.wbBufFlush": Collector,
	"runtime.bgsweep": Collector, "runtime.bgscavenge": Collector, "runtime.deductSweepCredit": Collector, "runtime._GC": Collector,

	"net/http.": HTTP, "net/textproto.": HTTP, "net/url.": HTTP, "mime.": HTTP,

	"google.golang.org/": GRPC, "golang.org/x/net/": GRPC, "example.com/hub/proto/": GRPC,
	"github.com/grpc-ecosystem/": GRPC, "example.com/hub/services/edge/internal/gatewaypb/": GRPC,
	"example.com/hub/pkg/tunnel.": GRPC,

	"encoding/json": JSON, "github.com/go-json-experiment/": JSON, "example.com/hub/pkg/jsontext.": JSON, "example.com/hub/services/edge/internal/shape.": JSON,

	"github.com/jackc/": PGX,
	"modernc.org/":      SQLite, "database/sql": SQLite,
	"github.com/redis/": Redis,
	"example.com/hub/":  Own, "main.": Own,
}

// Samples counts samples by their kinds.
type Samples [kinds]int64

// Of counts the samples of a profile. Of the functions on a sample's stack, the innermost that has a kind
// decides: memory that JSON takes is JSON, and a write of gRPC to its connection is a system call.
func Of(pprof []byte) (Samples, error) {
	var s Samples
	p, err := profile.Parse(bytes.NewReader(pprof))
	if err != nil {
		return s, err
	}
	known := map[*profile.Function]Kind{}
	for _, sample := range p.Sample {
		s[kindOf(sample, known)] += sample.Value[0]
	}
	return s, nil
}

// kindOf looks through a stack from its inside. The lines of one location are calls that the compiler put
// into one another, the inner one first.
func kindOf(sample *profile.Sample, known map[*profile.Function]Kind) Kind {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			kind, ok := known[line.Function]
			if !ok {
				kind = named(line.Function.Name)
				known[line.Function] = kind
			}
			if kind != Other {
				return kind
			}
		}
	}
	return Other
}

func named(function string) Kind {
	kind, longest := Other, 0
	for prefix, k := range prefixes {
		if len(prefix) > longest && strings.HasPrefix(function, prefix) {
			kind, longest = k, len(prefix)
		}
	}
	return kind
}

// Add adds other samples.
func (s *Samples) Add(other Samples) {
	for kind, n := range other {
		s[kind] += n
	}
}

// Part is the share of a kind in all samples, from 0 to 1; 0 without samples.
func (s Samples) Part(kind Kind) float64 {
	var all int64
	for _, n := range s {
		all += n
	}
	if all == 0 {
		return 0
	}
	return float64(s[kind]) / float64(all)
}
