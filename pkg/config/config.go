// Package config reads settings from HUB_* environment variables into structs and describes them.
//
// A setting is declared once, as a struct field:
//
//	PageSize int64 `env:"HUB_MAX_PAGE_SIZE" envDefault:"200" help:"largest page, in entries"`
//
// A field tagged secret:"true" never shows its value, and one tagged first:"true" stands first in --help. A
// nested struct tagged group:"Pages" is a group of its own there. A struct, nested or not, may have a method
// Validate() error for rules that one value alone cannot break.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Validator is a settings struct with rules of its own; its error names the variables at fault.
type Validator interface {
	Validate() error
}

// Load fills the struct that dst points to from environ, a list of NAME=value as os.Environ gives
// it. A variable that is set but empty counts as not set. The error joins every fault, one line
// each, beginning with the variable's name. A rule on a variable that could not even be read is left
// out.
func Load(dst any, environ []string) error {
	var lines []string
	var unreadable []string
	values := nonEmpty(environ)
	for s := range fields(reflect.ValueOf(dst)) {
		text, ok := values[s.name]
		if !ok {
			text = s.field.Tag.Get("envDefault")
		}
		if text == "" {
			continue
		}
		if err := set(s.value, text); err != nil {
			unreadable = append(unreadable, s.name)
			lines = append(lines, s.fault(text, err))
		}
	}
	if err := validate(reflect.ValueOf(dst)); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if name, _, _ := strings.Cut(line, ":"); !slices.Contains(unreadable, name) {
				lines = append(lines, line)
			}
		}
	}
	return join(lines)
}

// fault is the line on a value that cannot be read: what it must be, what it is, and the help, which
// has the unit and the range.
func (s setting) fault(text string, err error) string {
	is := ""
	if !s.secret() {
		is = fmt.Sprintf(", not %q", text)
	}
	return fmt.Sprintf("%s: %v%s (%s)", s.name, err, is, s.field.Tag.Get("help"))
}

// join makes an error of the lines. Several structs may read one variable, so a line may repeat.
func join(lines []string) error {
	var faults []error
	for i, line := range lines {
		if !slices.Contains(lines[:i], line) {
			faults = append(faults, errors.New(line))
		}
	}
	return errors.Join(faults...)
}

func nonEmpty(environ []string) map[string]string {
	values := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); value != "" {
			values[name] = value
		}
	}
	return values
}

func validate(v reflect.Value) error {
	var faults []error
	if own, ok := v.Interface().(Validator); ok {
		faults = append(faults, own.Validate())
	}
	v = reflect.Indirect(v)
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() && v.Field(i).Kind() == reflect.Struct {
			faults = append(faults, validate(v.Field(i)))
		}
	}
	return errors.Join(faults...)
}
