package log

import (
	"context"
	"log/slog"
	"math"

	"example.com/hub/pkg/telemetry/requestid"
)

// Sample is the share of the successful requests that the access log shows, from 0 to 1.
type Sample float64

// Level is that of a successful request: info for the share, debug for the others. The id of the request
// decides, so that every service with the same share logs the same requests.
func (s Sample) Level(ctx context.Context) slog.Level {
	if s > 0 && s.takes(requestid.From(ctx)) {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (s Sample) takes(id string) bool {
	return s >= 1 || float64(hash(id)) < float64(s)*math.MaxUint64
}

// hash is the same in every process: FNV-1a, and the last steps of MurmurHash3, which let ids that only
// differ in their last digit differ everywhere.
func hash(id string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 0x100000001b3
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
