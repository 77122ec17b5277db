// Package topic says what a client asks a stream for.
package topic

import (
	"errors"
	"strings"

	"example.com/hub/pkg/bus"
)

// Set is what a client hears of. The zero Set is nothing.
type Set uint8

const (
	// Inbox are new and read messages: what the contract's stream shows.
	Inbox Set = 1 << iota
	// Todos are todos that were created, changed or finished.
	Todos
)

// Has tells whether events of a kind belong to the set.
func (s Set) Has(k bus.Kind) bool {
	return s&Inbox != 0 && k.Inbox() || s&Todos != 0 && k == bus.Todo
}

// Parse reads topics that are separated by commas. One that stands twice counts once. The error says what
// they must be.
func Parse(text string) (s Set, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word {
		case "inbox":
			s |= Inbox
		case "todo":
			s |= Todos
		default:
			return 0, errors.New("topics must be inbox, todo or both, separated by a comma")
		}
	}
	return s, nil
}
