package auth_test

import (
	"errors"
	"testing"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
)

func TestBearer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		values []string
		want   string
	}{
		{"good", []string{"Bearer a.b-c_d~e+f/g=="}, "a.b-c_d~e+f/g=="},
		{"any case", []string{"bEaReR x"}, "x"},
		{"more blanks", []string{"Bearer   x "}, "x"},
		{"none", nil, ""},
		{"empty", []string{""}, ""},
		{"two", []string{"Bearer x", "Bearer x"}, ""},
		{"basic", []string{"Basic x"}, ""},
		{"scheme only", []string{"Bearer"}, ""},
		{"no token", []string{"Bearer   "}, ""},
		{"no blank", []string{"Bearerx"}, ""},
		{"tab", []string{"Bearer\tx"}, ""},
		{"list", []string{"Bearer x, Bearer y"}, ""},
		{"two words", []string{"Bearer x y"}, ""},
		{"quotes", []string{`Bearer "x"`}, ""},
		{"not ASCII", []string{"Bearer ä"}, ""},
		{"line end", []string{"Bearer x\n"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := auth.Bearer(tc.values)
			if got != tc.want {
				t.Errorf("token is %q, want %q", got, tc.want)
			}
			if tc.want == "" && (!errors.Is(err, auth.ErrNoToken) || fault.KindOf(err) != fault.Unauthenticated) {
				t.Errorf("error is %v, want Unauthenticated with the cause ErrNoToken", err)
			}
			if tc.want != "" && err != nil {
				t.Error(err)
			}
		})
	}
}
