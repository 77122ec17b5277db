// Package sse is the plain way to serve event streams: one net/http handler per stream, which waits
// for a channel and flushes.
package sse

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/hub/test/bench/internal/baseline/process"
)

// Server holds the streams.
type Server struct {
	mu      sync.RWMutex
	streams map[string]chan []byte
}

// New makes a server without streams.
func New() *Server { return &Server{streams: map[string]chan []byte{}} }

// ServeHTTP serves the stream of the user that the query names.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.URL.Query().Get("user")
	frames := make(chan []byte, 16)
	s.mu.Lock()
	s.streams[user] = frames
	s.mu.Unlock()
	defer s.remove(user, frames)

	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	frame := []byte("retry: 3000\n")
	for {
		if _, err := w.Write(frame); err != nil {
			return
		}
		if err := flusher.Flush(); err != nil {
			return
		}
		select {
		case frame = <-frames:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) remove(user string, frames chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[user] == frames {
		delete(s.streams, user)
	}
}

// Send hands a frame to the stream of a user, if there is one that keeps up.
func (s *Server) Send(user string, frame []byte) {
	s.mu.RLock()
	frames := s.streams[user]
	s.mu.RUnlock()
	select {
	case frames <- frame:
	default:
	}
}

// Beat sends heartbeats to all streams until ctx ends.
func (s *Server) Beat(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			frame := fmt.Appendf(nil, "event: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null,\"ts\":%d}\n\n", now.UnixMilli())
			s.mu.RLock()
			for _, frames := range s.streams {
				select {
				case frames <- frame:
				default:
				}
			}
			s.mu.RUnlock()
		}
	}
}

// Serve serves streams with heartbeats until standard input ends.
func Serve(ctx context.Context, heartbeat time.Duration) error {
	s := New()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go s.Beat(ctx, heartbeat)
	mux := http.NewServeMux()
	mux.Handle("GET /message-hub/stream", s)
	return process.Serve(ctx, mux)
}
