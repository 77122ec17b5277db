package browser_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// patience is how long a test waits for anything at all.
const patience = 30 * time.Second

var (
	// bin is the folder of the binaries.
	bin string
	// chromium is the browser that all tests share, each as a person of its own.
	chromium context.Context
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	stop, err := startChromium()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start Chromium:", err)
		return 1
	}
	defer stop()
	return shapetest.Main(m, &bin, append(shape.Services(), "hub")...)
}

// startChromium starts a browser that reaches this machine only, by any name that ends in .test too, and takes
// the certificate of the tests for every one of them.
func startChromium() (stop func(), err error) {
	dir, err := os.MkdirTemp("", "hub-certificate-")
	if err != nil {
		return nil, err
	}
	if certificate, err = newCertificate(dir); err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath("chromium"),
		chromedp.NoSandbox, // root has none
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost"),
		chromedp.Flag("ignore-certificate-errors-spki-list", certificate.pin),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	var leave func()
	chromium, leave = chromedp.NewContext(allocator) //nolint:fatcontext // all tests share the browser
	if err := chromedp.Do(chromium); err != nil {
		end()
		return nil, err
	}
	return func() {
		leave()
		end()
		_ = os.RemoveAll(dir)
	}, nil
}
