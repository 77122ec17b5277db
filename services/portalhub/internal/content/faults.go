package content

import "example.com/hub/pkg/fault"

// ChannelNotFound is the fault of an id that no channel has.
func ChannelNotFound(id string) error {
	return about("channel", id, fault.New(fault.NotFound, "there is no such channel"))
}

// NotFound is the fault of an id that no article has, and of an article that a user may not know of.
func NotFound(id string) error {
	return about("article", id, fault.New(fault.NotFound, "there is no such article"))
}

// errChannel is the fault of an article for a channel that is not there.
var errChannel = fault.Field("channel_id", "channel id must be that of a channel")

func tooMany(id string) error {
	return about("channel", id, fault.Newf(fault.Conflict, "there are %d channels already, which is the most", MaxChannels))
}

func stale(id string, version int64) error {
	return about("article", id, fault.Newf(fault.Conflict, "the article has been changed meanwhile: its version is %d", version))
}

func neverPublished(id string) error {
	return about("article", id, fault.New(fault.Conflict, "the article was never published"))
}

// about names the record for programs.
func about(kind, id string, f *fault.Fault) *fault.Fault {
	f.Resource = fault.Resource{Type: kind, Name: id}
	return f
}
