package s3_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"example.com/hub/services/portalhub/blob"
	"example.com/hub/services/portalhub/blob/s3"
)

// open makes a store in a folder of the bucket of a real S3 server, whose URL with its keys is in HUB_TEST_S3.
func open(t *testing.T, prefix string, change ...func(*s3.Deps)) *s3.Store {
	t.Helper()
	address := os.Getenv("HUB_TEST_S3") //nolint:forbidigo // only the tests know the server
	if address == "" {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // a skipped test must not go unnoticed there
			t.Fatal("HUB_TEST_S3 is not set")
		}
		t.Skip("HUB_TEST_S3 is not set")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	d := s3.Deps{
		Place:     blob.Place{Host: u.Host, Bucket: strings.TrimPrefix(u.Path, "/"), Prefix: prefix},
		AccessKey: u.User.Username(), SecretKey: secret, Region: "us-east-1",
	}
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
