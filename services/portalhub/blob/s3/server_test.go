package s3_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/services/portalhub/blob"
	"example.com/hub/services/portalhub/blob/s3"
)

const (
	accessKey, secretKey = "hub-access", "hub-secret-of-the-tests"
	bucket               = "hub-files"
)

// server is a real S3 server on loopback, with a folder in the place of disks.
type server struct {
	folder, address string
	cmd             *exec.Cmd
}

// start runs the program that HUB_TEST_S3 names, with one bucket.
func start(t *testing.T) *server {
	t.Helper()
	program := os.Getenv("HUB_TEST_S3") //nolint:forbidigo // only the tests know the server
	if program == "" {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // a skipped test must not go unnoticed there
			t.Fatal("HUB_TEST_S3 is not set")
		}
		t.Skip("HUB_TEST_S3 is not set")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{folder: t.TempDir(), address: l.Addr().String()}
	if err := os.Mkdir(filepath.Join(s.folder, bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(program, "--access", accessKey, "--secret", secretKey, "--port", s.address, "--quiet", "posix", "--nometa", s.folder) //nolint:gosec // it is that of the tests
	s.cmd.Dir = t.TempDir()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	for end := time.Now().Add(20 * time.Second); ; {
		resp, err := http.Get("http://" + s.address + "/")
		if err == nil {
			_ = resp.Body.Close()
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not start: %v", err)
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // nothing tells when another process listens
	}
}

// stop ends the server at once.
func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// open makes a store in a folder of the bucket.
func (s *server) open(t *testing.T, prefix string, change ...func(*s3.Deps)) *s3.Store {
	t.Helper()
	d := s3.Deps{Place: blob.Place{Host: s.address, Bucket: bucket, Prefix: prefix}, AccessKey: accessKey, SecretKey: secretKey, Region: "us-east-1"}
	for _, c := range change {
		c(&d)
	}
	store, err := s3.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}
