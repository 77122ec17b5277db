package contract

import "testing"

func TestTargetCheck(t *testing.T) {
	good := Target{
		BaseURL:  "http://127.0.0.1:8080",
		Client:   Credentials{"a", "x"},
		Other:    Credentials{"b", "x"},
		Limited:  Credentials{"c", "x"},
		Settings: DefaultSettings(),
	}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Target){
		"no URL":          func(target *Target) { target.BaseURL = "" },
		"no scheme":       func(target *Target) { target.BaseURL = "127.0.0.1:8080" },
		"one client":      func(target *Target) { target.Other = target.Client },
		"no limited":      func(target *Target) { target.Limited = Credentials{} },
		"no settings":     func(target *Target) { target.Settings = Settings{} },
		"no heartbeat":    func(target *Target) { target.Settings.HeartbeatInterval = 0 },
		"other ownership": func(target *Target) { target.Settings.TodoOwnership = "mine" },
		"no zone":         func(target *Target) { target.Settings.TimeZone = nil },
	} {
		target := good
		spoil(&target)
		if err := target.check(); err == nil {
			t.Errorf("%s: %+v was taken", name, target)
		}
	}
}

func TestNames(t *testing.T) {
	for _, step := range []struct {
		msg, field string
		want       bool
	}{
		{"todo id must not be empty", "todoId", true},
		{"todoId must be a string", "todoId", true},
		{"Action URL must not start with a blank", "actionUrl", true},
		{"target usernames[1] must not be empty", "targetUsernames", true},
		{"the request is not valid", "title", false},
		{"source id must not be empty", "sourceBizId", false},
	} {
		if got := names(step.msg, step.field); got != step.want {
			t.Errorf("names(%q, %q) is %t", step.msg, step.field, got)
		}
	}
}
