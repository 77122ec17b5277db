package health

import (
	"net/http"
	"net/http/pprof"
	"time"
)

// headerTimeout bounds the request header of a probe.
const headerTimeout = 5 * time.Second

// NewServer makes the server of the admin listener, which callers must not reach: the paths of
// Handler, /metrics, and the profiles of the process below /debug/pprof/.
func (h *Health) NewServer(metrics http.Handler) *http.Server {
	mux := http.NewServeMux()
	probes := h.Handler()
	mux.Handle("/livez", probes)
	mux.Handle("/readyz", probes)
	mux.Handle("GET /metrics", metrics)
	// The index serves every profile but these.
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
}
