package allinone_test

import (
	"net/http"
	"testing"
)

// TestSessionsOutliveARestart has a session that goes on, and one that was ended: what needs a permission asks
// for its row.
func TestSessionsOutliveARestart(t *testing.T) {
	dir := t.TempDir()
	hub, stop := open(t, dir)
	stays, leaves, kept := newBrowser(t, hub), newBrowser(t, hub), newBrowser(t, hub)
	stays.logIn("carla", "/portal/")
	leaves.logIn("carla", "/portal/")
	of, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept.http.Jar.SetCookies(of.URL, leaves.http.Jar.Cookies(of.URL))
	if resp, text := leaves.ask(http.MethodPost, "/portal/logout"); resp.StatusCode != http.StatusOK {
		t.Fatalf("the logout: %s %s", resp.Status, text)
	}
	stop()
	again := startIn(t, dir)
	for b, want := range map[*browser]int{stays: http.StatusOK, kept: http.StatusUnauthorized} {
		b.hub = again
		if resp, text := b.ask(http.MethodGet, "/admin/apps"); resp.StatusCode != want {
			t.Errorf("after the restart %s %s, want %d", resp.Status, text, want)
		}
	}
}
