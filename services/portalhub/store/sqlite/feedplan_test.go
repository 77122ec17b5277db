package sqlite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFeedPlans checks that lists of articles read ranges of their indexes and no whole table.
func TestFeedPlans(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "portalhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for query, index := range map[string]string{
		walkFeed:     "INDEX article_feed (channel_id=? AND status=? AND (pinned,sort_time,id)<(?,?,?))",
		walkAll:      "INDEX article_created (status=? AND (create_time,id)<(?,?))",
		walkChannel:  "INDEX article_channel (channel_id=? AND status=? AND (create_time,id)<(?,?))",
		listOutdated: "INDEX article_policy (policy<?)",
	} {
		steps := s.explain(t, query)
		if !slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(step, index) }) {
			t.Errorf("%.30q uses no %s: %q", query, index, steps)
		}
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN article") {
				t.Errorf("%.30q: %s", query, step)
			}
		}
	}
}
