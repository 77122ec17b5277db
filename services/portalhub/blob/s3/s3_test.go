package s3_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub/blob"
	"example.com/hub/services/portalhub/blob/blobtest"
	"example.com/hub/services/portalhub/blob/s3"
	"example.com/hub/services/portalhub/internal/file"
)

func TestBlobs(t *testing.T) {
	var n atomic.Int64
	blobtest.Run(t, func(t *testing.T) file.Blobs { return open(t, fmt.Sprintf("suite/%d/", n.Add(1))) })
}

// TestFaultsAreUnavailable has every call fail: no server, wrong keys, no bucket.
func TestFaultsAreUnavailable(t *testing.T) {
	broken := map[string]*s3.Store{
		"no server":  open(t, "", func(d *s3.Deps) { d.Place.Host = "127.0.0.1:1" }),
		"wrong keys": open(t, "", func(d *s3.Deps) { d.SecretKey = "another" }),
		"no bucket":  open(t, "", func(d *s3.Deps) { d.Place.Bucket = "another" }),
	}
	for name, s := range broken {
		d, err := s.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		hash := fmt.Sprintf("%064d", 0)
		kept := d.Keep(t.Context(), hash)
		d.Discard()
		_, _, opened := s.Open(t.Context(), hash)
		removed := s.Remove(t.Context(), hash)
		for what, err := range map[string]error{"keep": kept, "open": opened, "remove": removed} {
			if err == nil || fault.KindOf(err) != fault.Unavailable || errors.Is(err, file.ErrNoBlob) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

func TestDraftsNeedAFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, err := s3.Open(s3.Deps{Place: blob.Place{Host: "127.0.0.1:1", Bucket: "hub-files"}, Region: "us-east-1"}); err == nil {
		t.Error("it opens")
	}
}

// TestDraftsLeaveNothing looks into the folder of drafts while one is written.
func TestDraftsLeaveNothing(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s := open(t, "")
	d, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	if _, err := d.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("there is %v, %v", entries, err)
	}
}
