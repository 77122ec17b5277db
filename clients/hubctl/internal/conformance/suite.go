// Package conformance runs the black-box suites of Hub's contract against a Hub.
//
// The suites are Go tests, which run in a process of their own: this program starts itself again and reads
// what package testing prints. So a suite that ends badly ends nothing else.
package conformance

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
)

// The suites.
const (
	// Contract is what every Hub keeps to.
	Contract = "contract"
	// Portal is what Hub offers beyond the contract.
	Portal = "portal"
)

// variable is set in the process of a suite, to the cases that it runs.
const variable = "HUBCTL_SUITE"

// parallel is how many cases run at a time; most wait for events.
const parallel = 32

// IsSuite tells whether this process was started to run a suite.
func IsSuite(environ func(string) (string, bool)) bool {
	_, set := environ(variable)
	return set
}

// RunSuite runs the cases that the environment names and ends the process.
func RunSuite() {
	pattern, _ := os.LookupEnv(variable)
	testing.Init()
	err := flag.CommandLine.Parse([]string{"-test.v=test2json", "-test.parallel=" + strconv.Itoa(parallel), "-test.run=" + pattern})
	if err != nil {
		panic(err) // only if package testing has no such flags any more
	}
	testing.Main(regexp.MatchString, []testing.InternalTest{
		{Name: Contract, F: func(t *testing.T) { contract.Run(t, contract.Deployment(t)) }},
		{Name: Portal, F: func(t *testing.T) { portal.Run(t, contract.Deployment(t)) }},
	}, nil, nil)
}

// Options say what runs.
type Options struct {
	// URL is the address of the Hub. The variables HUB_TARGET_* tell the rest, as with go test.
	URL string
	// Suite is Contract or Portal.
	Suite string
	// Cases is AREA or AREA/CASE as regular expressions; empty means all.
	Cases string
	// Progress hears of each case that has ended.
	Progress func(Case)
}

// Run runs a suite. An error means that it did not come to its end; a Report with failures is none.
func Run(ctx context.Context, o Options) (Report, error) {
	began := time.Now()
	self, err := os.Executable()
	if err != nil {
		return Report{}, err
	}
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), variable+"=^"+o.Suite+"$/"+o.Cases, "HUB_TARGET_URL="+o.URL)
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = 5 * time.Second
	complaints := new(tail)
	child.Stderr = complaints
	out, err := child.StdoutPipe()
	if err != nil {
		return Report{}, err
	}
	if err := child.Start(); err != nil {
		return Report{}, err
	}
	r := reader{suite: o.Suite, open: map[string]*Case{}, progress: o.Progress}
	readError := r.read(out)
	report := Report{Target: o.URL, Suite: o.Suite, Cases: r.ended}
	report.count()
	report.Seconds = seconds(time.Since(began))
	return report, r.verdict(ctx, child.Wait(), readError, complaints)
}
