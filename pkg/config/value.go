package config

import (
	"encoding"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// set reads text into a field. Its error says what the value must be, in words that a person at a
// keyboard understands; a type with UnmarshalText must do the same.
func set(v reflect.Value, text string) error {
	switch to := v.Addr().Interface().(type) {
	case *slog.Level:
		return setLevel(to, text)
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(text)) //nolint:wrapcheck // the words are the type's
	case *time.Duration:
		return setDuration(to, text)
	case *[]string:
		*to = strings.Split(text, ",")
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("must be true or false")
		}
		v.SetBool(on)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return setInt(v, text)
	case reflect.Float64:
		share, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("must be a number")
		}
		v.SetFloat(share)
	default:
		panic("config: no setting can be a " + v.Type().String())
	}
	return nil
}

// setLevel knows the four words only, in any case, and not the offsets of package slog.
func setLevel(to *slog.Level, text string) error {
	words := []string{"debug", "info", "warn", "error"}
	if !slices.Contains(words, strings.ToLower(text)) {
		return errors.New("must be debug, info, warn or error")
	}
	return to.UnmarshalText([]byte(text)) //nolint:wrapcheck // it knows the words
}

func setInt(v reflect.Value, text string) error {
	bits := v.Type().Bits()
	n, err := strconv.ParseInt(text, 10, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("must be a whole number up to %d", uint64(math.MaxInt64)>>(64-bits))
	case err != nil:
		return errors.New("must be a whole number")
	}
	v.SetInt(n)
	return nil
}

func setDuration(to *time.Duration, text string) (err error) {
	if *to, err = time.ParseDuration(text); err == nil {
		return nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Errorf("must have a unit: write %ss for seconds", text)
	}
	return errors.New("must be numbers with units, such as 500ms, 15s or 1h30m")
}
