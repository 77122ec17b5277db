// Package s3 keeps the bytes of files in a bucket of an S3 server, for several replicas of portalhub.
//
// A blob is an object that is named by its hash, stored by one request of known length: it is there whole or not
// at all. Drafts are files without a name on the disk of this process, which end with it. So there are no
// multipart uploads that somebody would have to abort.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub/blob"
	"example.com/hub/services/portalhub/internal/file"
)

const (
	// keepTime and callTime bound the storing of a blob, and a call without a body.
	keepTime, callTime = 30 * time.Second, 5 * time.Second
	dialTime           = 2 * time.Second
	// attempts of a call that may be repeated: all may.
	attempts = 3
	// idleConns is about the most calls that there are at once.
	idleConns = 64
)

// Deps are what a Store works with.
type Deps struct {
	Place blob.Place
	// AccessKey and SecretKey are those of the server, which must have the rights of docs/operations/files.md.
	AccessKey, SecretKey string
	// Region is that of the bucket.
	Region string
}

// Store is a portalhub.Blobs in a bucket.
type Store struct {
	client         minio.Core
	transport      *http.Transport
	bucket, prefix string
}

var _ file.Blobs = (*Store)(nil)

// Open makes a store. It does not wait for the server, which may be away, but wants a folder for drafts: that of
// TMPDIR, or /tmp.
func Open(d Deps) (*Store, error) {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: callTime, ResponseHeaderTimeout: 2 * callTime,
		IdleConnTimeout: time.Minute, MaxIdleConns: idleConns, MaxIdleConnsPerHost: idleConns, DisableCompression: true,
	}
	client, err := minio.NewCore(d.Place.Host, &minio.Options{
		Creds: credentials.NewStaticV4(d.AccessKey, d.SecretKey, ""), Secure: d.Place.Secure, Region: d.Region,
		Transport: transport, MaxRetries: attempts,
	})
	if err != nil {
		return nil, err
	}
	s := &Store{client: *client, transport: transport, bucket: d.Place.Bucket, prefix: d.Place.Prefix}
	probe, err := s.Create(context.Background())
	if err != nil {
		return nil, fmt.Errorf("drafts need a folder that can be written, TMPDIR or %s: %w", os.TempDir(), err)
	}
	probe.Discard()
	return s, nil
}

// Close lets go of the connections.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

func (s *Store) key(hash string) string { return s.prefix + hash }

// failed says that the server, or the disk for drafts, cannot be used.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "files cannot be kept or read at the moment", fmt.Errorf("%s: %w", doing, err))
}

func missing(err error) bool { return minio.ToErrorResponse(err).Code == minio.NoSuchKey }

// Create implements file.Blobs. The file loses its name at once, so that nothing of it survives this process.
func (s *Store) Create(context.Context) (file.Draft, error) {
	f, err := os.CreateTemp("", "hub-draft-")
	if err != nil {
		return nil, failed("create draft", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, failed("create draft", errors.Join(err, f.Close()))
	}
	return &draft{f: f, s: s}, nil
}

// Open implements file.Blobs.
func (s *Store) Open(ctx context.Context, hash string) (io.ReadCloser, int64, error) {
	body, info, _, err := s.client.GetObject(ctx, s.bucket, s.key(hash), minio.GetObjectOptions{})
	if missing(err) {
		return nil, 0, file.ErrNoBlob
	}
	if err != nil {
		return nil, 0, failed("get object", err)
	}
	return body, info.Size, nil
}

// Remove implements file.Blobs.
func (s *Store) Remove(ctx context.Context, hash string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := s.client.RemoveObject(ctx, s.bucket, s.key(hash), minio.RemoveObjectOptions{})
	if missing(err) {
		return nil
	}
	return failed("delete object", err)
}

// RemoveDrafts implements file.Blobs. Drafts end with their process.
func (s *Store) RemoveDrafts(context.Context, time.Time) error { return nil }

// draft is a file without a name.
type draft struct {
	f *os.File
	s *Store
	n int64
}

// Write implements file.Draft.
func (d *draft) Write(b []byte) (int, error) {
	n, err := d.f.Write(b)
	d.n += int64(n)
	return n, failed("write draft", err)
}

// Keep implements file.Draft.
func (d *draft) Keep(ctx context.Context, hash string) error {
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	_, err := d.s.client.Client.PutObject(ctx, d.s.bucket, d.s.key(hash), io.NewSectionReader(d.f, 0, d.n), d.n, minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	return failed("put object", err)
}

// Discard implements file.Draft.
func (d *draft) Discard() { _ = d.f.Close() }
