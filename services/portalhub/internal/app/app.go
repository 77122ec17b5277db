// Package app is the apps area's domain: the applications that the portal leads to, who sees them, and where a
// jump into one may lead.
package app

import (
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/services/portalhub/internal/visibility"
)

// SignOn says how an app learns who comes by a jump. The numbers are stored, and those of the proto; 0 is none
// given.
type SignOn int32

const (
	// NoSignOn does not tell it.
	NoSignOn SignOn = iota + 1
	// Ticket sends a ticket along.
	Ticket
)

func (s SignOn) known() bool { return s == NoSignOn || s == Ticket }

// MaxApps is how many apps there may be: they are listed without pages, and none is deleted.
const MaxApps = 500

const maxSort = 1_000_000

// App is a stored application. Times are UTC, in microseconds.
type App struct {
	ID string
	Settings
	// Enabled apps are seen and jumped to.
	Enabled bool

	CreateTime, ModifyTime time.Time
	// CreatorID and ModifierID are the names of principals.
	CreatorID, ModifierID string
}

// Settings are what an administrator says of an app.
type Settings struct {
	Name string
	// IconURL is the path of one of Hub's files, or empty.
	IconURL string
	// EntryURL is where the app begins.
	EntryURL string
	// Sort is the place in lists, where names come second.
	Sort int64
	// VisibleFor are the subjects that see the app; none is everybody.
	VisibleFor []string
	SignOn     SignOn
}

// check goes through the fields in the order of the proto.
func (s *Settings) check(c *field.Checks) {
	c.Text("name", s.Name, field.MaxLabel, field.Required)
	c.File("icon_url", s.IconURL)
	checkEntryURL(c, s.EntryURL)
	if s.Sort < -maxSort || s.Sort > maxSort {
		c.Fail("sort", "must be from %d to %d", -maxSort, maxSort)
	}
	visibility.Check(c, "visible_for", s.VisibleFor)
	if !s.SignOn.known() {
		c.Fail("sso", "must be none or ticket")
	}
}
