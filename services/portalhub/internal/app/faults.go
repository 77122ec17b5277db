package app

import "example.com/hub/pkg/fault"

// NotFound is the fault of an id that no app has, and of an app that a user may not know of.
func NotFound(id string) error {
	return about(id, fault.New(fault.NotFound, "there is no such app"))
}

func exists(id string) error {
	return about(id, fault.New(fault.Conflict, "there is an app with this id already"))
}

func tooMany(id string) error {
	return about(id, fault.Newf(fault.Conflict, "there are %d apps already, which is the most", MaxApps))
}

// about names the app for programs.
func about(id string, f *fault.Fault) *fault.Fault {
	f.Resource = fault.Resource{Type: "app", Name: id}
	return f
}
