package field

import "fmt"

// UploadConfig is the setting of uploads, which the edge and the portal's hub share.
type UploadConfig struct {
	MaxUpload int64 `env:"HUB_MAX_UPLOAD" envDefault:"10485760" help:"largest file of an upload in bytes, 1024 to 104857600 (100 MiB); the same at the edges and in portalhub"`
}

// Validate checks the range.
func (c UploadConfig) Validate() error {
	if c.MaxUpload < 1024 || c.MaxUpload > 100<<20 {
		return fmt.Errorf("HUB_MAX_UPLOAD: must be from 1024 to 104857600 bytes, not %d", c.MaxUpload)
	}
	return nil
}
