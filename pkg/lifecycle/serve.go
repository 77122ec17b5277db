package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
)

// Listen opens a TCP listener; an error names the setting that holds the address. Whoever serves the
// listener closes it; the part closes one that was never served.
func Listen(ctx context.Context, setting, addr string) (net.Listener, Part, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, Part{}, fmt.Errorf("%s: %s is taken; is it running already?", setting, addr)
	case noAddress(err):
		return nil, Part{}, fmt.Errorf("%s: must be host:port of this machine, not %q", setting, addr)
	case err != nil:
		return nil, Part{}, fmt.Errorf("%s: %w", setting, err)
	}
	return l, Part{Name: "listener", Stop: func(context.Context) error {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}}, nil
}

// noAddress tells whether an error of listening is about the form of the address, or its host.
func noAddress(err error) bool {
	var form *net.AddrError
	var name *net.DNSError
	return errors.As(err, &form) || errors.As(err, &name) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// HTTP is a part that serves l; Stop lets requests under way end.
func HTTP(name string, s *http.Server, l net.Listener) Part {
	return Part{
		Name: name,
		Run: func() error {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
		Stop: s.Shutdown,
	}
}

// Closer is a part that only has something to close.
func Closer(name string, c interface{ Close() error }) Part {
	return Part{Name: name, Stop: func(context.Context) error { return c.Close() }}
}
