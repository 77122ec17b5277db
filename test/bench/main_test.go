package main

import (
	"slices"
	"strings"
	"testing"
)

func TestParseRefusesWhatCannotBeMeant(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no rounds":                    {[]string{"-rounds", "0"}, "at least one round"},
		"an argument":                  {[]string{"9"}, "usage"},
		"an unknown form":              {[]string{"-o", "xml"}, "none of table, markdown, json"},
		"a short run for the page":     {[]string{"-short", "-doc", "page.md"}, "whole run"},
		"a part of a run for the page": {[]string{"-only", "9", "-doc", "page.md"}, "whole run"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	for list, want := range map[string][]int{"": nil, "9": {9}, "9, 10": {9, 10}} {
		if got, err := numbers(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %v, %v", list, got, err)
		}
	}
	if _, err := numbers("9a"); err == nil {
		t.Error("9a was taken for a number")
	}
}
