package browser_test

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"example.com/hub/test/server"
)

// providerScript runs in the folder of its packages, which make puts there.
//
//go:embed provider/provider.mjs
var providerScript string

const providerPackages = "../../bin/provider"

// The client of Hub at the provider.
const (
	providerClient = "hub"
	providerSecret = "a-secret-that-hub-shares-with-its-provider"
)

// provider is an OpenID Connect provider that is not Hub's, on another site than Hub: browsers take
// localhost and 127.0.0.1 for two.
type provider struct{ issuer string }

// startProvider runs one that knows these addresses of Hub, until the test is over.
func startProvider(t *testing.T, redirects ...string) provider {
	t.Helper()
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	known, err := json.Marshal(redirects)
	if err != nil {
		t.Fatal(err)
	}
	p := provider{strings.Replace("http://"+address, "127.0.0.1", "localhost", 1)}
	// Where the system's Node is too old, the packages have one.
	cmd := exec.Command("sh", "-c", "PATH=$PWD/node_modules/.bin:$PATH exec node --input-type=module")
	cmd.Dir, cmd.Stdin = providerPackages, strings.NewReader(providerScript)
	cmd.Env = append(os.Environ(), "PROVIDER_ISSUER="+p.issuer, "PROVIDER_SECRET="+providerSecret, "PROVIDER_REDIRECTS="+string(known))
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the provider says %q, %v; make browser installs it", line, err)
	}
	return p
}

// login is what a person does at the provider: she says who she is, and lets Hub know.
func (p provider) login(t *testing.T, b tab, number string) {
	t.Helper()
	b.until(t, "document.querySelector('input[name=login]')")
	eval[bool](t, b, `(document.querySelector('input[name=login]').value = %q, document.querySelector('input[name=password]').value = 'x', true)`, number)
	b.click(t, "button[type=submit]")
	b.until(t, "document.querySelector('input[name=prompt][value=consent]')")
	b.click(t, "button[type=submit]")
}
