package edge

import (
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/front"
)

// Limits of the HTTP server. Bodies, answers and streams have limits of their own.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = time.Minute
	maxHeaderBytes = 16 << 10
)

// Listener serves TLS on l, for the server of NewServer; files may be nil, which is none.
func Listener(l net.Listener, files *tlsfiles.Files) net.Listener {
	if files == nil {
		return l
	}
	return files.Listener(conn.Listener(l))
}

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
		ConnContext:       front.ConnContext,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Parts serve REST and the streams on l. Once their stop begins, the streams end first, then the calls.
func (e *Edge) Parts(l net.Listener, logger *slog.Logger) []lifecycle.Part {
	return []lifecycle.Part{
		lifecycle.Background("events", e.Run),
		lifecycle.HTTP("REST", e.NewServer(logger), l),
		{Name: "streams", Stop: e.Shutdown},
	}
}
