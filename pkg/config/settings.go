package config

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// Setting describes one environment variable.
type Setting struct {
	// Name is the variable.
	Name string
	// Default is what holds when the variable is not set, in the variable's own notation.
	Default string
	// Help says what the setting does, with its unit and range.
	Help string
	// Secret values are never shown.
	Secret bool
}

// Settings lists the settings of a struct, or of a pointer to one, by name. A variable that several
// nested structs read stands once.
func Settings(of any) []Setting {
	var all []Setting
	for s := range fields(reflect.TypeOf(of)) {
		all = append(all, Setting{
			Name:    s.name,
			Default: s.field.Tag.Get("envDefault"),
			Help:    s.field.Tag.Get("help"),
			Secret:  s.field.Tag.Get("secret") == "true",
		})
	}
	slices.SortFunc(all, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b Setting) bool { return a.Name == b.Name })
}

// WriteUsage prints a struct's settings as a table for --help.
func WriteUsage(w io.Writer, of any) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range Settings(of) {
		standard := s.Default
		if standard == "" {
			standard = "-"
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", s.Name, standard, s.Help)
	}
	return tw.Flush()
}

type tagged struct {
	name  string
	field reflect.StructField
}

// fields yields every field with an env tag, those of nested structs included.
func fields(t reflect.Type) iter.Seq[tagged] {
	return func(yield func(tagged) bool) {
		walk(t, yield)
	}
}

func walk(t reflect.Type, yield func(tagged) bool) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
		switch {
		case name != "":
			if !yield(tagged{name, f}) {
				return false
			}
		case f.IsExported() && f.Type.Kind() == reflect.Struct:
			if !walk(f.Type, yield) {
				return false
			}
		}
	}
	return true
}
