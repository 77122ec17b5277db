package shape_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"
)

// homePage asks an edge for the home page of a user, and gives the names of the parts that are missing.
func homePage(t *testing.T, edge string, header http.Header) (unavailable []string) {
	t.Helper()
	began := time.Now()
	resp, text := ask(t, http.DefaultClient, edge+"/portal/home", header)
	// Each part is waited for a second, and calls of other paths for five.
	if took := time.Since(began); resp.StatusCode != http.StatusOK || took > 3*time.Second {
		t.Fatalf("the home page: %s after %v: %s", resp.Status, took, text)
	}
	var answer struct {
		Data map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer.Data["unavailable"], &unavailable); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{"counts", "todos", "messages", "apps", "news", "notices"} {
		if missing := slices.Contains(unavailable, name); missing != (string(answer.Data[name]) == "null") {
			t.Errorf("%s is missing: %v, and its part is %s", name, missing, answer.Data[name])
		}
	}
	return unavailable
}

// TestHomeWithoutHubs takes both replicas of one hub after the other away, hung and dead.
func TestHomeWithoutHubs(t *testing.T) {
	t.Parallel()
	s := start(t, "HUB_CALL_TIMEOUT=5s", "HUB_DATABASE_ACQUIRE_TIMEOUT=500ms")
	edge := "http://" + s.edges[0].Public
	header := http.Header{"Authorization": {"Bearer " + demoToken(t, edge, "amy")}}
	signal := func(hub string, sig syscall.Signal) {
		for _, n := range []string{"-1", "-2"} {
			if err := s.Replica(hub + n).Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	counts := func() int {
		resp, _ := ask(t, http.DefaultClient, edge+"/counts", header)
		return resp.StatusCode
	}
	whole := func() {
		t.Helper()
		for until := time.Now().Add(30 * time.Second); ; {
			missing := homePage(t, edge, header)
			if len(missing) == 0 {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("%q are still missing", missing)
			}
		}
		if code := counts(); code != http.StatusOK {
			t.Errorf("the counts: %d", code)
		}
	}
	lacks := func(hub string, want ...string) {
		t.Helper()
		if got := homePage(t, edge, header); !slices.Equal(got, want) {
			t.Errorf("without %s %q are missing, want %q", hub, got, want)
		}
	}
	t.Cleanup(func() { // a replica that hangs cannot be stopped
		for _, name := range []string{"messagehub-1", "messagehub-2", "portalhub-1", "portalhub-2"} {
			_ = s.Replica(name).Signal(syscall.SIGCONT)
		}
	})
	whole()
	signal("portalhub", syscall.SIGSTOP)
	lacks("portalhub", "apps", "news", "notices")
	if code := counts(); code != http.StatusOK {
		t.Errorf("the counts without portalhub: %d", code)
	}
	signal("portalhub", syscall.SIGCONT)
	whole()
	signal("messagehub", syscall.SIGSTOP)
	lacks("messagehub", "counts", "messages")
	if code := counts(); code != http.StatusServiceUnavailable {
		t.Errorf("the counts without messagehub: %d", code)
	}
	signal("messagehub", syscall.SIGCONT)
	whole()
	signal("portalhub", syscall.SIGKILL)
	lacks("portalhub", "apps", "news", "notices")
	signal("todohub", syscall.SIGKILL)
	lacks("todohub and portalhub", "counts", "todos", "apps", "news", "notices")
	if code := counts(); code != http.StatusServiceUnavailable {
		t.Errorf("the counts without todohub: %d", code)
	}
}
