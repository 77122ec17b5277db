package eventcenter

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

// Limits of a connection to the event center.
const (
	// dialTime is for the connection and its TLS handshake together.
	dialTime = 2 * time.Second
	// answerTime is from the last byte of a request to the header of its answer.
	answerTime = 30 * time.Second
	// continueTime is how long a caller's Expect: 100-continue is waited for.
	continueTime = time.Second
	idleTime     = 30 * time.Second
	// maxAnswerHeader is the largest header of an answer in bytes.
	maxAnswerHeader = 64 << 10
)

// errUnreachable is why a request has not left Hub.
var errUnreachable = errors.New("the event center cannot be reached")

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// newTransport speaks HTTP/1.1 with the event center itself, whatever the environment says of proxies, and
// passes bodies on as they are.
func newTransport(dial dialer) *http.Transport {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	bounded := func(ctx context.Context, network, address string, connect dialer) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTime)
		defer cancel()
		conn, err := connect(ctx, network, address)
		if err != nil {
			return nil, errors.Join(errUnreachable, err)
		}
		return conn, nil
	}
	secure := func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		conn := tls.Client(raw, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12})
		if err := conn.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		return conn, nil
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return bounded(ctx, network, address, dial)
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return bounded(ctx, network, address, secure)
		},
		DisableCompression:     true,
		ResponseHeaderTimeout:  answerTime,
		ExpectContinueTimeout:  continueTime,
		IdleConnTimeout:        idleTime,
		MaxIdleConnsPerHost:    maxOpen / 4,
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
}
