// Package provider is what the edge needs to speak with an identity provider elsewhere: connections that
// bound what comes back, errors that quote nothing secret, and metadata that are found once.
package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

const (
	// maxHeaderBytes is the largest header of an answer.
	maxHeaderBytes = 64 << 10
	// maxIdle connections to the provider are kept, so that a wave of requests needs no new ones.
	maxIdle = 16
	// maxCode is longer than any error code of RFC 6749 and its extensions, in bytes.
	maxCode = 64
)

// NewClient makes a client that follows no redirect, since that would carry secrets to somewhere else. A nil
// transport means one of its own.
func NewClient(t http.RoundTripper) *http.Client {
	if t == nil {
		own := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // net/http documents it
		own.MaxIdleConnsPerHost = maxIdle
		own.MaxResponseHeaderBytes = maxHeaderBytes
		t = own
	}
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ErrorCode gives the error code of a provider's refusal for the log, or "" if it is none: what else
// stands there may hold anything.
func ErrorCode(code string) string {
	if len(code) > maxCode || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}

// SafeError keeps of an error what names addresses and certificates only. Others may quote what the
// provider sent, and that may hold what it was sent.
func SafeError(err error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the provider does not answer in time")
	case errors.As(err, &network):
		return fmt.Errorf("the provider cannot be reached: %w", network)
	case errors.As(err, &certificate):
		return fmt.Errorf("the provider cannot be trusted: %w", certificate)
	default:
		return errors.New("the provider gives no proper HTTP answer")
	}
}
