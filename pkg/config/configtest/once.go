package configtest

import (
	"reflect"
	"testing"
)

// Once wants every setting of a struct type to be declared in one struct, however often that one is
// nested in others.
func Once[T any](t *testing.T) {
	t.Helper()
	declared := map[string]reflect.Type{}
	var walk func(reflect.Type)
	walk = func(in reflect.Type) {
		for i := range in.NumField() {
			f := in.Field(i)
			name := f.Tag.Get("env")
			switch other := declared[name]; {
			case name == "" && f.IsExported() && f.Type.Kind() == reflect.Struct:
				walk(f.Type)
			case name != "" && other != nil && other != in:
				t.Errorf("%s is declared in %v and in %v", name, other, in)
			case name != "":
				declared[name] = in
			}
		}
	}
	walk(reflect.TypeFor[T]())
}
