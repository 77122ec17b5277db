package browser_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"testing"

	"example.com/hub/contract/portal"
)

// jumpScript asks for jumps with these queries, and gives those that the browser would take elsewhere, and how many
// were answered with an address.
const jumpScript = `(async (app, queries) => {
	const added = await fetch('/admin/apps', {
		method: 'POST', headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify({ appId: app, name: 'An app', entryUrl: 'https://app.example/in/' }),
	});
	if (!added.ok) return { astray: ['the app: ' + await added.text()], led: 0 };
	const astray = [];
	let led = 0;
	for (const query of queries) {
		const answer = await fetch('/apps/' + app + '/jump?to=' + query);
		if (answer.status === 400) continue;
		const { data } = await answer.json();
		const there = new URL(data.url);
		if (there.origin !== 'https://app.example' || !there.pathname.startsWith('/in/') || there.username || there.hash) astray.push(query);
		led++;
	}
	return { astray, led };
})`

// TestABrowserJumpsNowhereElse has Chromium read the addresses, whose reading of them is not that of Go.
func TestABrowserJumpsNowhereElse(t *testing.T) {
	h := demo(t)
	carla := newPerson(t)
	logIn(t, h, carla, "carla")
	good := []string{"", "/in/", "/in/x?y=z", "/in/a%20b/%C3%A4"}
	queries := slices.Clone(good)
	for _, to := range portal.HostileTargets() {
		queries = append(queries, url.QueryEscape(to), to) // the second as it stands, which the browser mends in its way
	}
	list, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	got := eval[struct {
		Astray []string
		Led    int
	}](t, carla, "%s", jumpScript+"('jumps', "+string(list)+")")
	for _, query := range got.Astray {
		t.Errorf("to=%s leads elsewhere", query)
	}
	if got.Led < len(good) {
		t.Errorf("%d jumps led anywhere, want at least %d", got.Led, len(good))
	}
}
