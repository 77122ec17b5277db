package sqlitefile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/hub/pkg/sqlitefile"
)

type coded int

func (c coded) Error() string { return fmt.Sprintf("code %d", int(c)) }
func (c coded) Code() int     { return int(c) }

func TestAway(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"busy", coded(5), true},
		{"busy snapshot", coded(5 | 2<<8), true},
		{"locked", coded(6), true},
		{"disk full, wrapped", fmt.Errorf("insert: %w", coded(13)), true},
		{"io error on fsync", coded(10 | 4<<8), true},
		{"constraint", coded(19), false},
		{"sql error", coded(1), false},
		{"no code", errors.New("x"), false},
		{"deadline", context.DeadlineExceeded, false},
		{"nil", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sqlitefile.Away(tt.err); got != tt.want {
				t.Errorf("Away(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}
