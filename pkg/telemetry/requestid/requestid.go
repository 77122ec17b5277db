// Package requestid names each request, so that what all services log of it can be found.
package requestid

import (
	"context"
	"crypto/rand"
)

const (
	// Header carries the id in HTTP requests and answers.
	Header = "X-Request-Id"
	// Key carries it in the metadata of gRPC calls.
	Key = "x-request-id"

	maxLength = 128
)

// Take gives the id that a caller sent, when it sent one only, of 1 to 128 letters, digits and
// -._~:/+=@. Otherwise it makes one, and taken is false.
func Take(values []string) (id string, taken bool) {
	if len(values) == 1 && valid(values[0]) {
		return values[0], true
	}
	return rand.Text(), false
}

// valid keeps out what would break a header or forge a line of a log. The usual ids are all of what
// is left: UUIDs, ULIDs, Base64, those of proxies.
func valid(id string) bool {
	if id == "" || len(id) > maxLength {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '.', c == '_', c == '~', c == ':', c == '/', c == '+', c == '=', c == '@':
		default:
			return false
		}
	}
	return true
}

type key struct{}

// With returns a context that carries the id.
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, id)
}

// From gives the id that ctx carries, or "".
func From(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}
