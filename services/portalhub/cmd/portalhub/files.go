package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/blob"
	"example.com/hub/services/portalhub/blob/disk"
	"example.com/hub/services/portalhub/blob/s3"
)

// filesConfig are the settings of where files are kept.
type filesConfig struct {
	URL      string `env:"HUB_FILES_URL"      help:"where files are kept: file:PATH, a folder, for one replica or several that share it; or s3: and the address of a bucket and perhaps a folder in it, such as s3:https://s3.example.com/bucket/folder; empty: nowhere, and paths of files answer 503"`
	Region   string `env:"HUB_FILES_REGION"   envDefault:"us-east-1" help:"region of the bucket of HUB_FILES_URL"`
	KeysFile string `env:"HUB_FILES_KEYS_FILE" help:"file with the access key of the bucket in its first line and the secret key in its second"`
}

// Validate checks the forms.
func (c filesConfig) Validate() error {
	place, err := c.place()
	if err == nil && place.Bucket != "" && c.KeysFile == "" {
		err = errors.New("HUB_FILES_KEYS_FILE: must not be empty where HUB_FILES_URL is a bucket")
	}
	return err
}

func (c filesConfig) place() (blob.Place, error) {
	if c.URL == "" {
		return blob.Place{}, nil
	}
	place, err := blob.Parse(c.URL)
	if err != nil {
		return place, fmt.Errorf("HUB_FILES_URL: %w", err)
	}
	return place, nil
}

// open gives nil where files are kept nowhere.
func (c filesConfig) open(p *process.Process) (portalhub.Blobs, error) {
	place, err := c.place()
	if err != nil || place == (blob.Place{}) {
		return nil, err
	}
	if place.Folder != "" {
		folder, err := disk.Open(place.Folder)
		if err != nil {
			return nil, fmt.Errorf("HUB_FILES_URL: %w", err)
		}
		return folder, nil
	}
	access, secret, err := c.keys()
	if err != nil {
		return nil, fmt.Errorf("HUB_FILES_KEYS_FILE: %w", err)
	}
	bucket, err := s3.Open(s3.Deps{Place: place, AccessKey: access, SecretKey: secret, Region: c.Region})
	if err != nil {
		return nil, fmt.Errorf("HUB_FILES_URL: %w", err)
	}
	p.Add(lifecycle.Closer("bucket", bucket))
	return bucket, nil
}

// keys reads the two lines.
func (c filesConfig) keys() (access, secret string, err error) {
	text, err := os.ReadFile(c.KeysFile)
	if err != nil {
		return "", "", err
	}
	lines := strings.Fields(string(text))
	if len(lines) != 2 {
		return "", "", errors.New("must have two lines, the access key and the secret key")
	}
	return lines[0], lines[1], nil
}
