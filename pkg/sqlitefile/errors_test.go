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
	gone, leave := context.WithCancel(t.Context())
	leave()
	const busy, away, defect = "the database is busy", "the database is not available", "internal error"
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		want string
	}{
		{"busy", t.Context(), coded(5), busy},
		{"busy snapshot", t.Context(), coded(5 | 2<<8), busy},
		{"locked", t.Context(), coded(6), busy},
		{"deadline", t.Context(), context.DeadlineExceeded, busy},
		{"disk full, wrapped", t.Context(), fmt.Errorf("insert: %w", coded(13)), away},
		{"io error on fsync", t.Context(), coded(10 | 4<<8), away},
		{"read error", t.Context(), coded(10 | 1<<8), away},
		{"read only", t.Context(), coded(8), away},
		{"malformed", t.Context(), coded(11 | 1<<8), away},
		{"no database", t.Context(), coded(26), away},
		{"malformed for a caller who is gone", gone, coded(11), away},
		{"interrupted for a caller who is gone", gone, coded(9), defect},
		{"constraint", t.Context(), coded(19), defect},
		{"sql error", t.Context(), coded(1), defect},
		{"no code", t.Context(), errors.New("x"), defect},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := new(sqlitefile.DB).Failed(tt.ctx, "insert", tt.err)
			if got := fault.As(err).Public; got != tt.want {
				t.Errorf("Failed(%v) tells the caller %q, want %q", tt.err, got, tt.want)
			}
			if !errors.Is(err, tt.err) || tt.ctx == gone && !errors.Is(err, context.Canceled) {
				t.Errorf("Failed(%v) = %v lacks the cause", tt.err, err)
			}
		})
	}
	if err := new(sqlitefile.DB).Failed(t.Context(), "insert", nil); err != nil {
		t.Errorf("Failed(nil) = %v", err)
	}
}
