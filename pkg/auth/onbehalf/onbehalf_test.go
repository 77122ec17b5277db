package onbehalf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/fault"
)

func TestWhoIsEncodedIsDecoded(t *testing.T) {
	for _, want := range []auth.Principal{
		{User: "amy"},
		{User: "amy", Permissions: []string{"todos", "messages"}},
		{User: " Ömer 100% + a/b=c,d "},
		{User: strings.Repeat("界", 128)},
	} {
		sent := onbehalf.Encode(want)
		for key, value := range sent {
			if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
				t.Errorf("%s is sent as %q, which metadata cannot carry", key, value)
			}
		}
		var permissions []string
		if p, ok := sent[onbehalf.Permissions]; ok {
			permissions = []string{p}
		}
		got, asked, err := onbehalf.Decode([]string{sent[onbehalf.User]}, permissions)
		if err != nil || !asked {
			t.Errorf("%q: asked %v, %v", want.User, asked, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestUnclearUserIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ users, permissions []string }{
		"twice":                 {[]string{"amy", "amy"}, nil},
		"permissions only":      {nil, []string{"todos"}},
		"permissions twice":     {[]string{"amy"}, []string{"todos", "apps"}},
		"empty":                 {[]string{""}, nil},
		"blank":                 {[]string{"+"}, nil},
		"too long":              {[]string{strings.Repeat("a", 129)}, nil},
		"control character":     {[]string{"a%0Ab"}, nil},
		"NUL":                   {[]string{"a%00"}, nil},
		"not UTF-8":             {[]string{"a%ff"}, nil},
		"broken percent escape": {[]string{"100%"}, nil},
	} {
		p, asked, err := onbehalf.Decode(tt.users, tt.permissions)
		if !asked || fault.KindOf(err) != fault.Unauthenticated || p.User != "" && p.Client != "" {
			t.Errorf("%s: %+v, asked %v, %v", name, p, asked, err)
		}
	}
	if _, asked, err := onbehalf.Decode(nil, nil); asked || err != nil {
		t.Errorf("nothing: asked %v, %v", asked, err)
	}
}
