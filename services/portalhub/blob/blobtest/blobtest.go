// Package blobtest is what every portalhub.Blobs must do, as tests.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"example.com/hub/services/portalhub/internal/file"
)

// Run runs the suite. newBlobs gives an empty place that lives as long as its t.
func Run(t *testing.T, newBlobs func(t *testing.T) file.Blobs) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, file.Blobs){
		"what is kept is read":                testKept,
		"what is not kept is not there":       testDiscarded,
		"the same is kept twice":              testTwice,
		"what is removed is gone":             testRemoved,
		"an upload that has ended is no blob": testEnded,
		"old are those kept before a time":    testOld,
		"a listing ends with its first error": testOldFails,
	} {
		t.Run(name, func(t *testing.T) { test(t, newBlobs(t)) })
	}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Keep stores a blob in several parts, and gives its hash.
func Keep(t *testing.T, b file.Blobs, content []byte) string {
	t.Helper()
	d, err := b.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	for part := range slices.Chunk(content, 70_000) {
		if n, err := d.Write(part); err != nil || n != len(part) {
			t.Fatalf("%d bytes are written: %v", n, err)
		}
	}
	if err := d.Keep(t.Context(), hashOf(content)); err != nil {
		t.Fatal(err)
	}
	return hashOf(content)
}

func wantBlob(t *testing.T, b file.Blobs, content []byte) {
	t.Helper()
	r, size, err := b.Open(t.Context(), hashOf(content))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || size != int64(len(content)) || !bytes.Equal(got, content) {
		t.Errorf("%d bytes of %d: %v", len(got), size, err)
	}
	if has, err := b.Has(t.Context(), hashOf(content)); err != nil || !has {
		t.Errorf("it is there: %v, %v", has, err)
	}
}

func wantNone(t *testing.T, b file.Blobs, content []byte) {
	t.Helper()
	if _, _, err := b.Open(t.Context(), hashOf(content)); !errors.Is(err, file.ErrNoBlob) {
		t.Errorf("it is opened: %v", err)
	}
	if has, err := b.Has(t.Context(), hashOf(content)); err != nil || has {
		t.Errorf("it is there: %v, %v", has, err)
	}
}

func all(t *testing.T, b file.Blobs) (hashes []string) {
	t.Helper()
	err := b.Old(t.Context(), time.Now().Add(time.Hour), func(some []string) error {
		hashes = append(hashes, some...)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	slices.Sort(hashes)
	return hashes
}

func testKept(t *testing.T, b file.Blobs) {
	for _, size := range []int{1, 70_000, 1 << 20, 10 << 20} {
		content := bytes.Repeat([]byte{byte(size), 1, 2, 3, 4}, size/5+1)[:size]
		Keep(t, b, content)
		wantBlob(t, b, content)
	}
}

func testDiscarded(t *testing.T, b file.Blobs) {
	d, err := b.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	wantNone(t, b, []byte("x"))
	d.Discard()
	wantNone(t, b, []byte("x"))
	if hashes := all(t, b); len(hashes) > 0 {
		t.Errorf("there is %v", hashes)
	}
}

func testTwice(t *testing.T, b file.Blobs) {
	Keep(t, b, []byte("x"))
	Keep(t, b, []byte("x"))
	wantBlob(t, b, []byte("x"))
	if hashes := all(t, b); !slices.Equal(hashes, []string{hashOf([]byte("x"))}) {
		t.Errorf("there is %v", hashes)
	}
}

func testRemoved(t *testing.T, b file.Blobs) {
	Keep(t, b, []byte("x"))
	Keep(t, b, []byte("y"))
	for range 2 {
		if err := b.Remove(t.Context(), hashOf([]byte("x"))); err != nil {
			t.Error(err)
		}
	}
	wantNone(t, b, []byte("x"))
	wantBlob(t, b, []byte("y"))
}

func testEnded(t *testing.T, b file.Blobs) {
	d, err := b.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	if _, err := d.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Keep(ctx, hashOf([]byte("x"))); err == nil {
		t.Error("it is kept")
	}
	wantNone(t, b, []byte("x"))
}

func testOld(t *testing.T, b file.Blobs) {
	want := []string{Keep(t, b, []byte("x")), Keep(t, b, []byte("y"))}
	slices.Sort(want)
	if got := all(t, b); !slices.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
	err := b.Old(t.Context(), time.Now().Add(-time.Hour), func(hashes []string) error {
		t.Errorf("%v is old", hashes)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func testOldFails(t *testing.T, b file.Blobs) {
	Keep(t, b, []byte("x"))
	Keep(t, b, []byte("y"))
	broken := errors.New("broken")
	if err := b.Old(t.Context(), time.Now().Add(time.Hour), func([]string) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
