package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

// server is an error of the server with its code.
type server string

func (s server) Error() string    { return "server says " + string(s) }
func (s server) SQLState() string { return string(s) }

const (
	deadlock      = server("40P01")
	serialization = server("40001")
	readOnly      = server("25006")
	unique        = server("23505")
)

func TestRetry(t *testing.T) {
	for _, tt := range []struct {
		name string
		// errs are what the runs give, the last one again and again.
		errs []error
		// want is what unknown is in each run.
		want    []bool
		wantErr error
	}{
		{"succeeds", []error{nil}, []bool{false}, nil},
		{"does not repeat a defect", []error{unique}, []bool{false}, unique},
		{"does not wait for a database that is away", []error{unreachable(io.EOF)}, []bool{false}, io.EOF},
		{"repeats a deadlock", []error{deadlock, nil}, []bool{false, false}, nil},
		{"repeats conflicts three times", []error{deadlock, serialization, deadlock, nil}, []bool{false, false, false, false}, nil},
		{"gives up after three", []error{serialization}, []bool{false, false, false, false}, serialization},
		{"repeats a lost run and says so", []error{lost(io.EOF), nil}, []bool{false, true}, nil},
		{"repeats a lost run once", []error{lost(io.EOF)}, []bool{false, true}, io.EOF},
		{"does not forget a lost run", []error{lost(io.EOF), deadlock, nil}, []bool{false, true, true}, nil},
		{"counts what was lost apart from conflicts", []error{deadlock, lost(io.EOF), deadlock, deadlock, nil}, []bool{false, false, true, true, true}, nil},
		{"repeats once when the server takes no writes", []error{readOnly, nil}, []bool{false, false}, nil},
		{"gives up when no server takes writes", []error{readOnly}, []bool{false, false}, readOnly},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []bool
			err := retry(t.Context(), func(unknown bool) error {
				got = append(got, unknown)
				return tt.errs[min(len(got), len(tt.errs))-1]
			})
			if !errors.Is(err, tt.wantErr) {
				t.Errorf("retry = %v, want %v", err, tt.wantErr)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("unknown in each run: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRetryNamesWhatEndedIt(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"a broken connection", lost(io.EOF)},
		{"a conflict", deadlock},
		{"a cancelled statement", server("57014")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			runs := 0
			err := retry(ctx, func(bool) error {
				runs++
				cancel()
				return tt.err
			})
			if runs != 1 || !errors.Is(err, context.Canceled) || !errors.Is(err, tt.err) {
				t.Errorf("%d runs, %v; want one, and both reasons", runs, err)
			}
		})
	}
}

func TestAway(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.EOF, false},
		{context.DeadlineExceeded, false},
		{fmt.Errorf("ping: %w", unreachable(io.EOF)), true},
		{fmt.Errorf("ping: %w", lost(io.EOF)), true},
		{fmt.Errorf("insert: %w", deadlock), true},
		{server("08006"), true}, // connection failure
		{server("25006"), true}, // read-only transaction
		{server("53100"), true}, // disk full
		{server("53300"), true}, // too many connections
		{server("55P03"), true}, // lock not available
		{server("57014"), true}, // statement timeout
		{server("57P01"), true}, // shutdown
		{server("58030"), true}, // input or output error
		{unique, false},
		{server("22021"), false}, // character not in repertoire
		{server("25001"), false}, // active transaction
		{server("42P01"), false}, // undefined table
		{server(""), false},
	} {
		if got := away(tt.err); got != tt.want {
			t.Errorf("away(%v) = %v, want %v", tt.err, got, tt.want)
		}
	}
}
