package sqlitefile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/sqlitefile"
)

type coded int

func (c coded) Error() string { return fmt.Sprintf("code %d", int(c)) }
func (c coded) Code() int     { return int(c) }

func TestFailed(t *testing.T) {
	const busy, away, defect = "the database is busy", "the database is not available", "internal error"
	tests := []struct {
		name string
		gone bool // the caller
		err  error
		want string
	}{
		{"busy", false, coded(5), busy},
		{"busy snapshot", false, coded(5 | 2<<8), busy},
		{"locked", false, coded(6), busy},
		{"deadline", false, context.DeadlineExceeded, busy},
		{"disk full, wrapped", false, fmt.Errorf("insert: %w", coded(13)), away},
		{"io error on fsync", false, coded(10 | 4<<8), away},
		{"read error", false, coded(10 | 1<<8), away},
		{"read only", false, coded(8), away},
		{"malformed", false, coded(11 | 1<<8), away},
		{"no database", false, coded(26), away},
		{"malformed for a caller who is gone", true, coded(11), away},
		{"interrupted for a caller who is gone", true, coded(9), defect},
		{"constraint", false, coded(19), defect},
		{"sql error", false, coded(1), defect},
		{"no code", false, errors.New("x"), defect},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if tt.gone {
				leave()
			}
			err := new(sqlitefile.DB).Failed(ctx, "insert", tt.err)
			if got := fault.As(err).Public; got != tt.want {
				t.Errorf("Failed(%v) tells the caller %q, want %q", tt.err, got, tt.want)
			}
			if !errors.Is(err, tt.err) || tt.gone && !errors.Is(err, context.Canceled) {
				t.Errorf("Failed(%v) = %v lacks the cause", tt.err, err)
			}
		})
	}
	if err := new(sqlitefile.DB).Failed(t.Context(), "insert", nil); err != nil {
		t.Errorf("Failed(nil) = %v", err)
	}
}
