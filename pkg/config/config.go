// Package config reads settings from HUB_* environment variables into structs and describes them.
//
// A setting is declared once, as a struct field:
//
//	PageSize int64 `env:"HUB_MAX_PAGE_SIZE" envDefault:"200" help:"largest page, in entries"`
//
// A field tagged secret:"true" never shows its value. A struct, nested or not, may have a method
// Validate() error for rules that one value alone cannot break.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Validator is a settings struct with rules of its own; its error names the variables at fault.
type Validator interface {
	Validate() error
}

// Load fills the struct that dst points to from environ, a list of NAME=value as os.Environ gives
// it. A variable that is set but empty counts as not set. The error joins every fault, one line
// each, beginning with the variable's name.
func Load(dst any, environ []string) error {
	unreadable := describe(dst, env.ParseWithOptions(dst, env.Options{Environment: nonEmpty(environ)}))
	broken := validate(reflect.ValueOf(dst))
	if unreadable == nil {
		return broken
	}
	return errors.Join(unreadable, withoutRepeats(broken, unreadable))
}

// withoutRepeats leaves out of broken the rules on variables that could not even be read.
func withoutRepeats(broken, unreadable error) error {
	if broken == nil {
		return nil
	}
	var kept []error
	for line := range strings.Lines(broken.Error()) {
		name, _, _ := strings.Cut(line, ":")
		if !strings.Contains(unreadable.Error(), name+":") {
			kept = append(kept, errors.New(strings.TrimSuffix(line, "\n")))
		}
	}
	return errors.Join(kept...)
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

// describe names the variables in the library's errors, which name Go fields.
func describe(dst any, err error) error {
	if err == nil {
		return nil
	}
	var all env.AggregateError
	if !errors.As(err, &all) {
		return err
	}
	var faults []error
	for _, one := range all.Errors {
		var parse env.ParseError
		if errors.As(one, &parse) {
			one = fmt.Errorf("%s: %w", variable(reflect.TypeOf(dst), parse.Name), cause(parse.Err))
		}
		faults = append(faults, one)
	}
	return errors.Join(faults...)
}

// cause is the innermost error, which says what is wrong with the value.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func variable(t reflect.Type, field string) string {
	for s := range fields(t) {
		if s.field.Name == field {
			return s.name
		}
	}
	return field
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
