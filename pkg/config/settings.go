package config

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
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
	// Group is what the setting is about, from the tag group of a struct that it is nested in; empty for
	// none.
	Group string
	// First settings are those that one sets first, by the tag first.
	First bool
}

// Settings lists the settings of a struct, or of a pointer to one, by name. A variable that several
// nested structs read stands once.
func Settings(of any) []Setting {
	var all []Setting
	for s := range fields(reflect.ValueOf(of)) {
		all = append(all, Setting{
			Name:    s.name,
			Default: s.field.Tag.Get("envDefault"),
			Help:    s.field.Tag.Get("help"),
			Secret:  s.secret(),
			Group:   s.group,
			First:   s.field.Tag.Get("first") == "true",
		})
	}
	slices.SortFunc(all, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b Setting) bool { return a.Name == b.Name })
}

// WriteUsage prints a struct's settings for --help: those that one sets first, those without a group, then
// group by group, each as a table.
func WriteUsage(w io.Writer, of any) error {
	const first, general = "To set first", "General"
	tables := map[string][]Setting{}
	for _, s := range Settings(of) {
		title := cmp.Or(s.Group, general)
		if s.First {
			title = first
		}
		tables[title] = append(tables[title], s)
	}
	if alone, ok := tables[general]; ok && len(tables) == 1 {
		return writeTable(w, "", alone)
	}
	groups := slices.DeleteFunc(slices.Sorted(maps.Keys(tables)), func(t string) bool { return t == first || t == general })
	for _, title := range append([]string{first, general}, groups...) {
		if err := writeTable(w, title, tables[title]); err != nil {
			return err
		}
	}
	return nil
}

func writeTable(w io.Writer, title string, settings []Setting) error {
	if len(settings) == 0 {
		return nil
	}
	if title != "" {
		fmt.Fprintf(w, "\n %s:\n", title)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range settings {
		standard := s.Default
		if standard == "" {
			standard = "-"
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", s.Name, standard, s.Help)
	}
	return tw.Flush()
}

// setting is a field with an env tag.
type setting struct {
	name  string
	field reflect.StructField
	value reflect.Value
	group string
}

func (s setting) secret() bool { return s.field.Tag.Get("secret") == "true" }

// fields yields every setting of a struct, or of a pointer to one, those of nested structs included.
func fields(of reflect.Value) iter.Seq[setting] {
	return func(yield func(setting) bool) {
		walk(reflect.Indirect(of), "", yield)
	}
}

func walk(v reflect.Value, group string, yield func(setting) bool) bool {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch name := f.Tag.Get("env"); {
		case name != "":
			if !yield(setting{name, f, v.Field(i), group}) {
				return false
			}
		case f.IsExported() && f.Type.Kind() == reflect.Struct:
			if !walk(v.Field(i), cmp.Or(f.Tag.Get("group"), group), yield) {
				return false
			}
		}
	}
	return true
}
