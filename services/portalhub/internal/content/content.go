// Package content is the content area's domain: channels of news and of notices, who sees them, and the articles
// in them, whose HTML is sanitised before it is stored.
package content

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/services/portalhub/internal/visibility"
)

// Type says what a channel has. The numbers are stored, and those of the proto; 0 is none given.
type Type int32

// The types.
const (
	News Type = iota + 1
	Notice
)

func (t Type) known() bool { return t == News || t == Notice }

// Status says who sees an article. The numbers are stored, and those of the proto; 0 is none given.
type Status int32

// The statuses. An article begins as a Draft, and never is one again once it was Published.
const (
	Draft Status = iota + 1
	Published
	Offline
)

func (s Status) known() bool { return s >= Draft && s <= Offline }

// MaxChannels is how many channels there may be: they are listed without pages, and none is deleted.
const MaxChannels = 200

// The largest bodies in bytes, and how many objects and arrays of MaxJSON may be inside each other.
const (
	MaxHTML      = 256 << 10
	MaxJSON      = 512 << 10
	maxJSONDepth = 64
)

const maxSort = 1_000_000

// Channel is a stored channel. Times are UTC, in microseconds.
type Channel struct {
	ID string
	ChannelSettings
	// Enabled channels are seen.
	Enabled bool

	CreateTime, ModifyTime time.Time
	// CreatorID and ModifierID are the names of principals.
	CreatorID, ModifierID string
}

// ChannelSettings are what an administrator says of a channel.
type ChannelSettings struct {
	Name string
	Type Type
	// Sort is the place in lists, where names come second.
	Sort int64
	// VisibleFor are the subjects that see the articles; none is everybody.
	VisibleFor []string
}

// check goes through the fields in the order of the proto.
func (s *ChannelSettings) check(c *field.Checks) {
	c.Text("name", s.Name, field.MaxLabel, field.Required)
	if !s.Type.known() {
		c.Fail("type", "must be news or notice")
	}
	if s.Sort < -maxSort || s.Sort > maxSort {
		c.Fail("sort", "must be from %d to %d", -maxSort, maxSort)
	}
	visibility.Check(c, "visible_for", s.VisibleFor)
	if s.VisibleFor == nil {
		s.VisibleFor = []string{}
	}
}

// Article is a stored article. Times are UTC, in microseconds.
type Article struct {
	ID string
	Text
	// Version counts the changes, from 1.
	Version int64
	Status  Status
	// PinnedAt is nil where the article is not pinned, and PublishedAt where it never was published.
	PinnedAt, PublishedAt *time.Time
	// Policy is the number of the policy by which HTML was sanitised.
	Policy int64

	CreateTime, ModifyTime time.Time
	// CreatorID and ModifierID are the names of principals.
	CreatorID, ModifierID string
}

// Text is what an administrator says of an article.
type Text struct {
	ChannelID string
	Title     string
	Summary   string
	// CoverImageURL is the path of one of Hub's files, or empty.
	CoverImageURL string
	// HTML is the body. It is empty in lists.
	HTML string
	// JSON is what an editor keeps of the body, byte by byte as it was sent. It is empty for none, and in lists.
	JSON string
	// OccurredAt is nil until the article is published.
	OccurredAt *time.Time
}

// complete checks the fields in the order of the proto and sanitises the body.
func (t *Text) complete(c *field.Checks) {
	if strings.TrimSpace(t.JSON) == "null" {
		t.JSON = ""
	}
	c.ID("channel_id", t.ChannelID)
	c.Text("title", t.Title, field.MaxTitle, field.Required)
	c.Text("summary", t.Summary, field.MaxSummary, field.Optional)
	c.File("cover_image_url", t.CoverImageURL)
	c.Bytes("content_html", t.HTML, MaxHTML, field.Optional)
	if c.Err() == nil {
		// Quotation marks become longer, and links get more attributes.
		if t.HTML = Sanitise(t.HTML); len(t.HTML) > MaxHTML {
			c.Fail("content_html", "must be at most %d bytes once it is sanitised, not %d", MaxHTML, len(t.HTML))
		}
	}
	c.JSON("content_json", t.JSON, MaxJSON, maxJSONDepth)
	c.Instant("occurred_at", t.OccurredAt)
	t.OccurredAt = field.MicroPtr(t.OccurredAt)
}

// newID gives an id that nothing has.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}
