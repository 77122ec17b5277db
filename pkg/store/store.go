// Package store makes the text of a store's statements: binds that have names, and lists of columns. It
// is done once, when the process starts; calls give their values by position.
package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Dialect is the way in which a database writes the position of a bind.
type Dialect byte

// The dialects.
const (
	PostgreSQL Dialect = '$'
	SQLite     Dialect = '?'
)

// Bind writes for each @name in text its place among the names, from 1, which is the order of the values
// of a call. A name may stand in the text more than once. It panics on a name that only one of the two
// has, since the statement is then wrong for every call.
//
// In SQLite a mark without a number is the next place, and spares its driver to make a string of the
// number in each call. So the names are best listed in the order of the text.
func (d Dialect) Bind(text string, names ...string) string {
	used := make([]bool, len(names))
	last := -1
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "@")
		out.WriteString(before)
		if !found {
			break
		}
		name := rest[:nameLength(rest)]
		text = rest[len(name):]
		if name == "" {
			out.WriteByte('@') // an operator
			continue
		}
		place := slices.Index(names, name)
		if place < 0 {
			panic(fmt.Sprintf("store: @%s is none of the binds %v", name, names))
		}
		used[place] = true
		out.WriteByte(byte(d))
		if next := place == last+1; d != SQLite || !next {
			out.WriteString(strconv.Itoa(place + 1))
		}
		last = max(last, place)
	}
	if place := slices.Index(used, false); place >= 0 {
		panic(fmt.Sprintf("store: the statement has no @%s", names[place]))
	}
	return out.String()
}

// nameLength is the number of small letters, digits and underscores that text begins with, where the
// first is a letter.
func nameLength(text string) int {
	for i, c := range []byte(text) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return i
		}
	}
	return len(text)
}

// Columns are names of columns, which are also the names of their binds.
type Columns []string

// List is "a, b".
func (c Columns) List() string { return strings.Join(c, ", ") }

// Binds is "@a, @b".
func (c Columns) Binds() string { return "@" + strings.Join(c, ", @") }

// Replaced is "a = excluded.a, b = excluded.b", for an upsert.
func (c Columns) Replaced() string {
	set := make([]string, len(c))
	for i, name := range c {
		set[i] = name + " = excluded." + name
	}
	return strings.Join(set, ", ")
}

// Then gives the names of the columns with others behind them.
func (c Columns) Then(names ...string) []string { return slices.Concat(c, names) }
