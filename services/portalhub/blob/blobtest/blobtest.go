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
}

func wantNone(t *testing.T, b file.Blobs, content []byte) {
	t.Helper()
	if _, _, err := b.Open(t.Context(), hashOf(content)); !errors.Is(err, file.ErrNoBlob) {
		t.Errorf("it is opened: %v", err)
	}
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
}

func testTwice(t *testing.T, b file.Blobs) {
	Keep(t, b, []byte("x"))
	Keep(t, b, []byte("x"))
	wantBlob(t, b, []byte("x"))
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
