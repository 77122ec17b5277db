// Package blob says where the bytes of files are kept; disk and s3 keep them.
package blob

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Place is where files are kept: in a folder, or in a bucket.
type Place struct {
	// Folder is empty for a bucket.
	Folder string
	// Secure says that the server of the bucket is reached by TLS, at Host, which may have a port.
	Secure       bool
	Host, Bucket string
	// Prefix is in front of the keys in the bucket; it is empty, or ends in a slash.
	Prefix string
}

// bucketForm is what a bucket may be called on every server.
var bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

var errPlace = errors.New("must be file: and a folder, or s3: and an address like https://s3.example.com/bucket/folder")

// Parse reads file:PATH and s3:URL, where the URL has the bucket as the first part of its path, and perhaps a
// folder in it behind that. Errors go on after the name of the setting.
func Parse(text string) (Place, error) {
	if folder, ok := strings.CutPrefix(text, "file:"); ok {
		folder = strings.TrimPrefix(folder, "//")
		if folder == "" {
			return Place{}, errPlace
		}
		return Place{Folder: folder}, nil
	}
	address, ok := strings.CutPrefix(text, "s3:")
	u, err := url.Parse(address)
	if !ok || err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return Place{}, errPlace
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Place{}, errors.New("must have no user, query or fragment: keys have settings of their own")
	}
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if !bucketForm.MatchString(bucket) {
		return Place{}, fmt.Errorf("must name a bucket of 3 to 63 small letters, digits, dots and hyphens, not %q", bucket)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return Place{Secure: u.Scheme == "https", Host: u.Host, Bucket: bucket, Prefix: prefix}, nil
}
