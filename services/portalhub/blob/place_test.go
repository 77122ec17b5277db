package blob_test

import (
	"strings"
	"testing"

	"example.com/hub/services/portalhub/blob"
)

func TestPlaces(t *testing.T) {
	for text, want := range map[string]blob.Place{
		"file:data/files":                {Folder: "data/files"},
		"file:/var/lib/hub":              {Folder: "/var/lib/hub"},
		"file:///var/lib/hub":            {Folder: "/var/lib/hub"},
		"s3:https://s3.example/hub":      {Secure: true, Host: "s3.example", Bucket: "hub"},
		"s3:http://s3:9000/hub-files/a/": {Host: "s3:9000", Bucket: "hub-files", Prefix: "a/"},
		"s3:https://s3.example/hub/a/b":  {Secure: true, Host: "s3.example", Bucket: "hub", Prefix: "a/b/"},
	} {
		if got, err := blob.Parse(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestPlacesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"": "must be file:", "/files": "must be file:", "file:": "must be file:", "s3:hub": "must be file:", "s3://hub/files": "must be file:",
		"s3:https://": "must be file:", "gs:https://x/hub": "must be file:", "s3:https://key:secret@s3.example/hub": "must have no user",
		"s3:https://s3.example/hub?x=y": "must have no user", "s3:https://s3.example/": "must name a bucket", "s3:https://s3.example/Hub": "must name a bucket",
	} {
		if got, err := blob.Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
