// Package file is the REST form of the files of portalhub: the upload of one, and its download. Their bytes pass
// through in small parts, and are never in memory whole.
package file

import (
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge/internal/rest"
)

// Config are the settings of files.
type Config struct {
	field.UploadConfig

	Timeout time.Duration `env:"HUB_FILE_TIMEOUT" envDefault:"2m" help:"longest time for a file to arrive or to be sent, 1s to 2m"`
}

// Validate tells what is wrong with the settings.
func (c Config) Validate() error {
	if c.Timeout < time.Second || c.Timeout > 2*time.Minute {
		return fmt.Errorf("HUB_FILE_TIMEOUT: must be from 1s to 2m, not %s", c.Timeout)
	}
	return c.UploadConfig.Validate()
}

// The most at once on one edge, which bounds memory, and the calls that share a connection to portalhub. Who
// wants one more upload is told to come back, and who wants one more download waits.
const (
	maxUploads   = 24
	maxDownloads = 48
)

// Deps are what the area is made of.
type Deps struct {
	Config Config
	// Hub is the connection to portalhub.
	Hub grpc.ClientConnInterface
	// Patience bounds how long a download waits for its turn.
	Patience time.Duration
}

// Area is what is served of files.
func Area(d Deps) rest.Area {
	a := area{
		config: d.Config, hub: contentv1.NewFileServiceClient(d.Hub), patience: d.Patience,
		uploads: semaphore.NewWeighted(maxUploads), downloads: semaphore.NewWeighted(maxDownloads),
	}
	return rest.Area{Endpoints: []rest.Endpoint{
		{
			Method: http.MethodPost, Path: "/portal/admin/files/upload", Rule: auth.Rule{Permission: auth.PermissionContent},
			Transfer: a.upload,
		},
		{Method: http.MethodGet, Path: "/files/{id}", Rule: auth.Rule{User: true}, Transfer: a.download},
	}}
}

// area is what the endpoints share.
type area struct {
	config             Config
	hub                contentv1.FileServiceClient
	patience           time.Duration
	uploads, downloads *semaphore.Weighted
}

// media are the types by which files are sent.
var media = map[contentv1.FileType]string{
	contentv1.FileType_FILE_TYPE_PNG:  "image/png",
	contentv1.FileType_FILE_TYPE_GIF:  "image/gif",
	contentv1.FileType_FILE_TYPE_WEBP: "image/webp",
	contentv1.FileType_FILE_TYPE_JPEG: "image/jpeg",
	contentv1.FileType_FILE_TYPE_PDF:  "application/pdf",
}
