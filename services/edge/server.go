package edge

import (
	"log/slog"
	"net/http"
	"time"
)

// Limits of the HTTP server. Bodies, answers and streams have limits of their own.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = time.Minute
	maxHeaderBytes = 16 << 10
)

// NewServer makes the server for Handler. It speaks HTTP/1.1 only, since streams take their
// connection over; HTTP/2 ends at the proxy in front.
func (e *Edge) NewServer(logger *slog.Logger) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           e.Handler(),
		Protocols:         &protocols,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}
