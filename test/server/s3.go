package server

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
)

// S3 serves one bucket, with its files below dir, by a program that is versitygw. Its address is a URL with
// everything that a client must know: http://ACCESS_KEY:SECRET_KEY@HOST:PORT/BUCKET.
func S3(ctx context.Context, program, dir string) (*Server, error) {
	const access, secret, bucket = "hub-access", "hub-secret-of-the-tests", "hub-files"
	buckets := filepath.Join(dir, "buckets")
	if err := os.MkdirAll(filepath.Join(buckets, bucket), 0o700); err != nil {
		return nil, err
	}
	at, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	return start(ctx, &Server{
		Address: "http://" + access + ":" + secret + "@" + at + "/" + bucket,
		listens: at,
		dir:     dir,
		args:    []string{program, "--access", access, "--secret", secret, "--port", at, "--quiet", "posix", "--nometa", buckets},
		quit:    syscall.SIGKILL,
	})
}
