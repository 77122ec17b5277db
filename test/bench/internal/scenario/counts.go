package scenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// counts measures scenario 17: the counts of a user who has them already, beside those that are sent, and
// these beside a page of a list. All users that are asked for have the same counts, and so the same tag.
func counts(ctx context.Context, e Env, s *stage.Stage, hub side, people int) ([]report.Row, error) {
	hub.pids = append(slices.Clone(hub.pids), s.MessagehubPID)
	// The todos of the first half of the users become due while others are measured.
	whole := func(buf []byte, user int) []byte {
		return load.Get(buf, countsPath(people/2+user), hub.token)
	}
	tag, err := tagOf(ctx, hub, countsPath(people/2), "")
	if err != nil {
		return nil, err
	}
	if _, err := tagOf(ctx, hub, countsPath(people-1), tag); err != nil {
		return nil, err
	}
	known := func(_ int, buf []byte) []byte {
		buf = whole(buf, rand.N(people/2))
		return fmt.Appendf(buf[:len(buf)-2], "If-None-Match: %s\r\n\r\n", tag)
	}
	sent := func(_ int, buf []byte) []byte { return whole(buf, rand.N(people/2)) }
	saved, err := alternate(ctx, e, "17a", connections, [2]side{hub, hub}, [2]load.Act{known, sent})
	if err != nil {
		return nil, err
	}
	list := hub
	list.pids = []int{s.EdgePID, s.TodohubPID}
	beside, err := alternate(ctx, e, "17b", connections, [2]side{hub, list}, [2]load.Act{sent, listTodos(people)(hub.token)})
	if err != nil {
		return nil, err
	}
	return []report.Row{
		{
			ID: "17a", Scenario: "counts that the caller has, a 304, against counts that are sent, 16 at once", Unit: "requests/s",
			Hub: saved.rates[0], Baseline: saved.rates[1], Target: report.RatioAtLeast(0.95), HubUse: saved.used[0], BaselineUse: saved.used[1],
		},
		{
			ID: "17b", Scenario: "counts that are sent, of both hubs, against a list of 20 with total, 16 at once", Unit: "requests/s",
			Hub: beside.rates[0], Baseline: beside.rates[1], Target: report.RatioAtLeast(0.4), HubUse: beside.used[0], BaselineUse: beside.used[1],
		},
	}, nil
}

func countsPath(user int) string { return "/counts?username=" + crowd.User(user) }

// tagOf gives the tag of an answer. With a known one it checks that the answer is not sent.
func tagOf(ctx context.Context, hub side, path, known string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+hub.addr+path, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+hub.token)
	want := http.StatusOK
	if known != "" {
		req.Header.Set("If-None-Match", known)
		want = http.StatusNotModified
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	_ = resp.Body.Close()
	tag := resp.Header.Get("ETag")
	if resp.StatusCode != want || tag == "" {
		return "", fmt.Errorf("counts: %s with the tag %q", resp.Status, tag)
	}
	return tag, nil
}
