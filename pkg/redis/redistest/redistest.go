// Package redistest is for tests beside Redis: the server that HUB_TEST_REDIS names.
package redistest

import (
	"os"
	"testing"
)

// URL names the server to test with, which other tests use too. The test is skipped where there is no
// server; with CI=true it fails.
func URL(t testing.TB) string {
	t.Helper()
	u := os.Getenv("HUB_TEST_REDIS") //nolint:forbidigo // only the tests know the server
	switch {
	case u != "":
	case os.Getenv("CI") == "true": //nolint:forbidigo // see above
		t.Fatal("HUB_TEST_REDIS is not set")
	default:
		t.Skip("HUB_TEST_REDIS is not set")
	}
	return u
}
