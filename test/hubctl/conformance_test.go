package hubctl

import (
	"encoding/json"
	"strings"
	"testing"
)

// quick are areas whose cases wait for nothing.
const quick = "^(envelope|status|finish|inbox|methods)$"

func TestConformance(t *testing.T) {
	c := bare(t).with("HUB_TARGET_HEARTBEAT=1s")
	check(t, c, []call{{
		args: []string{"conformance", hubURL, "--cases", quick},
		out: "AREA      PASSED  FAILED  SKIPPED\nenvelope  …0       0\nfinish    …0       0\ninbox     …0       0\n" +
			"methods   …0       0\nstatus    …0       0\n\n… passed, 0 failed, 0 skipped, in … s\n",
	}})
	c = c.with("HUB_TARGET_MAX_PAGE_SIZE=100")
	failing := "paging/a_size_above_the_maximum_is_cut_to_it_and_echoed"
	r := c.run("", "conformance", hubURL, "--cases", "^paging$/(^a_size_above|^an_empty)", "--list")
	if r.code != 1 || !matches(r.out, "RESULT  SECONDS  AREA    CASE\nfail …\npass …an_empty…\n\n"+failing+"\n    paging.go:…want 100\n⋮\n1 passed, 1 failed, 0 skipped, in … s\n") {
		t.Error(r)
	}
	r = c.run("", "conformance", hubURL, "--cases", "^paging$/^a_size_above", "-o", "json")
	var report struct {
		Target, Suite           string
		Passed, Failed, Skipped int
		Cases                   []struct{ Area, Name, Result, Output string }
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || r.code != 1 || report.Failed != 1 || report.Passed != 0 ||
		report.Cases[0].Area+"/"+report.Cases[0].Name != failing || !strings.Contains(report.Cases[0].Output, "want 100") {
		t.Errorf("%s, %v", r, err)
	}
}

func TestConformanceBeyondTheContract(t *testing.T) {
	c := bare(t).with("HUB_TARGET_HEARTBEAT=1s")
	check(t, c, []call{{
		args: []string{"conformance", hubURL, "--suite", "portal", "--cases", "^(cursor|batch)$"},
		out:  "AREA    PASSED  FAILED  SKIPPED\nbatch   …0       0\ncursor  …0       0\n\n… passed, 0 failed, 0 skipped, in … s\n",
	}})
}

func TestConformanceThatCannotRun(t *testing.T) {
	c := bare(t)
	check(t, c.with("HUB_TARGET_CLIENT=erp:wrong"), []call{
		{args: []string{"conformance", hubURL}, code: 2, errs: "hubctl: the suite did not run: …no token for client erp…\n  hubctl conformance --help\n"},
	})
	check(t, c, []call{
		{args: []string{"conformance", hubURL, "--cases", "^nothing$"}, code: 2, errs: "hubctl: there is no such case\n  hubctl conformance --help\n"},
		{args: []string{"conformance", hubURL, "--suite", "x"}, code: 2, errs: "hubctl: --suite must be contract or portal, not \"x\"\n  hubctl conformance --help\n"},
	})
}
