package browser_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/hub/test/shape/shapetest"
)

// fenced is a block of the page: its language and its text.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// manual is docs/portal.md as somebody follows it, at addresses of the test.
type manual struct {
	nginx, html, js string
	socket          string // the script of a page that wants a count only
	// run and serve start Hub and nginx, and push is what a business system does.
	run, serve, push string
	portal, hub      string // host:port
}

func readManual(t *testing.T) manual {
	t.Helper()
	text, err := os.ReadFile("../../docs/portal.md")
	if err != nil {
		t.Fatal(err)
	}
	m := manual{portal: shapetest.FreeAddress(t), hub: shapetest.FreeAddress(t)}
	page := strings.NewReplacer("127.0.0.1:8000", m.portal, "127.0.0.1:8081", m.hub, "127.0.0.1:8082", shapetest.FreeAddress(t)).Replace(string(text))
	blocks := map[string][]string{}
	for _, found := range fenced.FindAllStringSubmatch(page, -1) {
		blocks[found[1]] = append(blocks[found[1]], found[2])
	}
	if len(blocks["nginx"]) != 1 || len(blocks["html"]) != 1 || len(blocks["js"]) != 1 || len(blocks["javascript"]) != 1 || len(blocks["sh"]) != 3 {
		t.Fatalf("the page has other blocks: %v", blocks)
	}
	m.nginx, m.html, m.js = blocks["nginx"][0], blocks["html"][0], blocks["js"][0]
	m.socket = blocks["javascript"][0]
	m.run, m.serve, m.push = blocks["sh"][0], blocks["sh"][1], blocks["sh"][2]
	return m
}

// start starts Hub as the page does, with a binary that is there already; stop ends it.
func (m manual) start(t *testing.T, data, admin string) (stop func()) {
	t.Helper()
	cmd := exec.Command("sh", "-c", strings.Replace(m.run, "make run", "exec "+filepath.Join(bin, "hub"), 1))
	cmd.Env = append(os.Environ(), "HUB_DATA_DIR="+data, "HUB_DEMO_DATA=false", "HUB_GRPC_ADDR="+shapetest.FreeAddress(t), "HUB_ADMIN_ADDR="+admin, "HUB_LOG_LEVEL=warn")
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	stop = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	}
	t.Cleanup(stop)
	reach(t, "http://"+m.hub, "http://"+m.hub)
	return stop
}

// proxy writes the three files and starts nginx.
func (m manual) proxy(t *testing.T) {
	t.Helper()
	dir := shapetest.Home(t)
	pages := filepath.Join(dir, "pages")
	if err := os.Mkdir(pages, 0o755); err != nil { //nolint:gosec // nginx reads it as another user
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "nginx.conf"): m.nginx, filepath.Join(pages, "index.html"): m.html, filepath.Join(pages, "portal.js"): m.js,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // as above
			t.Fatal(err)
		}
	}
	// Into a file, since nginx keeps what it writes to open.
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	run := func(command string) {
		sh := exec.Command("sh", "-ec", command)
		sh.Dir, sh.Stdout, sh.Stderr = dir, log, log
		if err := sh.Run(); err != nil {
			text, _ := os.ReadFile(log.Name())
			t.Errorf("%s: %v\n%s", command, err, text)
		}
	}
	run(m.serve)
	t.Cleanup(func() { run(strings.TrimSpace(m.serve) + " -s quit") })
}

// replaced are the streams that another one took the place of.
func replaced(t *testing.T, admin string) (n int) {
	t.Helper()
	resp, err := client.Get("http://" + admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	const metric = "hub_edge_streams_replaced_total"
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), " "); strings.HasPrefix(name, metric) {
			some, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			n += some
		}
	}
	return n
}

// TestThePageBuildsAPortal follows docs/portal.md word for word.
func TestThePageBuildsAPortal(t *testing.T) {
	m := readManual(t)
	data, admin := t.TempDir(), shapetest.FreeAddress(t)
	stop := m.start(t, data, admin)
	m.proxy(t)
	h := reach(t, "http://"+m.portal, "http://"+m.hub)
	push := func() {
		out, err := exec.Command("bash", "-ec", m.push).CombinedOutput()
		if err != nil || !strings.Contains(string(out), `"code":"0"`) {
			t.Fatalf("the push: %v\n%s", err, out)
		}
	}

	person := newPerson(t)
	amy := person.beside(t)
	amy.open(t, h.url+"/portal/my/")
	amy.until(t, "location.pathname === '/demo/oidc/authorize' && document.readyState === 'complete'")
	amy.click(t, "a[href*='user=amy']")
	amy.until(t, "location.pathname === '/portal/my/'")
	amy.shows(t, "#name", "Amy")
	amy.shows(t, "#count", "0")
	push()
	amy.shows(t, "#count", "1")
	amy.shows(t, "#messages li", "Hello")

	// A second tab shows the same, without a stream of its own; when the first one closes it has one.
	second := person.beside(t)
	second.open(t, h.url+"/portal/my/")
	second.shows(t, "#count", "1")
	push()
	amy.shows(t, "#count", "2")
	second.shows(t, "#count", "2")
	if n := replaced(t, admin); n != 0 {
		t.Errorf("%d streams were taken away", n)
	}
	amy.close(t)
	push()
	second.shows(t, "#count", "3")

	// A tab that has the stream and goes to another page leaves it to the others.
	third := person.beside(t)
	third.open(t, h.url+"/portal/my/")
	third.shows(t, "#count", "3")
	second.open(t, "about:blank")
	push()
	third.shows(t, "#count", "4")
	second = third

	// Nobody is sent to the login while the proxy answers 502, and the page is up to date soon after it.
	stop()
	if resp, err := http.Get(h.url + "/portal/me"); err != nil || resp.StatusCode != http.StatusBadGateway {
		t.Errorf("without Hub: %v, %v", resp, err)
	}
	second.until(t, "!document.querySelector('#away').hidden")
	m.start(t, data, admin)
	push()
	second.shows(t, "#count", "5")
	second.until(t, "document.querySelector('#away').hidden")
	if at := eval[string](t, second, "location.pathname"); at != "/portal/my/" {
		t.Errorf("she is at %s", at)
	}

	second.click(t, "#logout")
	second.until(t, "location.pathname === '/demo/oidc/authorize'")
	second.open(t, h.url+"/portal/me")
	if text := fmt.Sprint(second); strings.Contains(text, "amy") {
		t.Errorf("she is still logged in: %s", text)
	}
}
