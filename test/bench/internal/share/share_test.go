package share_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"example.com/hub/test/bench/internal/share"
)

// pprof encodes stacks, each from its inside, that were sampled once. A location is one function, or several
// that were put into one another.
func pprof(t *testing.T, stacks ...[][]string) []byte {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	for _, stack := range stacks {
		sample := &profile.Sample{Value: []int64{1}}
		for _, names := range stack {
			location := &profile.Location{ID: uint64(len(p.Location) + 1)}
			for _, name := range names {
				f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
				p.Function = append(p.Function, f)
				location.Line = append(location.Line, profile.Line{Function: f})
			}
			p.Location = append(p.Location, location)
			sample.Location = append(sample.Location, location)
		}
		p.Sample = append(p.Sample, sample)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestInnermostFunctionWithAKindDecides(t *testing.T) {
	server := []string{"google.golang.org/grpc.(*Server).serveStreams"}
	for name, tt := range map[string]struct {
		stack [][]string
		want  share.Kind
	}{
		"a write of gRPC":          {[][]string{{"internal/runtime/syscall.Syscall6"}, {"syscall.write"}, {"net.(*conn).Write"}, server}, share.System},
		"memory that JSON takes":   {[][]string{{"runtime.mallocgc"}, {"encoding/json.Marshal"}, {"example.com/hub/services/edge.x"}, server}, share.JSON},
		"Hub's code below gRPC":    {[][]string{{"runtime.memmove"}, {"example.com/hub/services/todohub.(*Service).Upsert"}, server}, share.Own},
		"Hub's own JSON":           {[][]string{{"example.com/hub/pkg/jsontext.Append"}, {"example.com/hub/services/edge.x"}}, share.JSON},
		"a call put into another":  {[][]string{{"runtime.memmove", "github.com/jackc/pgx/v5.(*Conn).Query"}, server}, share.PGX},
		"the outer of two in one":  {[][]string{{"bytes.Clone", "net/http.(*conn).serve"}}, share.HTTP},
		"a stack that grows":       {[][]string{{"runtime.copystack"}, {"runtime.newstack"}, {"runtime.morestack"}, server}, share.Stacks},
		"a mark worker":            {[][]string{{"runtime.scanobject"}, {"runtime.gcDrain"}, {"runtime.gcBgMarkWorker"}}, share.Collector},
		"waiting for the network":  {[][]string{{"internal/runtime/syscall.EpollWait"}, {"runtime.netpoll"}, {"runtime.findRunnable"}, {"runtime.mcall"}}, share.System},
		"looking for work":         {[][]string{{"runtime.findRunnable"}, {"runtime.schedule"}, {"runtime.mcall"}}, share.Scheduler},
		"nothing that has a kind":  {[][]string{{"runtime.memmove"}, {"runtime.goexit"}}, share.Other},
		"a stack without function": {nil, share.Other},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := share.Of(pprof(t, tt.stack))
			if err != nil {
				t.Fatal(err)
			}
			var want share.Samples
			want[tt.want] = 1
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPartsAreOfAllSamples(t *testing.T) {
	var s share.Samples
	if got := s.Part(share.JSON); got != 0 {
		t.Errorf("a part of nothing is %v", got)
	}
	one := [][]string{{"encoding/json.Marshal"}}
	for range 2 {
		more, err := share.Of(pprof(t, one, one, [][]string{{"runtime.memmove"}}))
		if err != nil {
			t.Fatal(err)
		}
		s.Add(more)
	}
	if got := s.Part(share.JSON); got != 4.0/6 {
		t.Errorf("got %v", got)
	}
}

func TestWhatIsNoProfileIsRefused(t *testing.T) {
	if _, err := share.Of([]byte("<html>")); err == nil {
		t.Error("it was taken")
	}
}
