package field

import (
	"fmt"
	"slices"
)

// maxChosenBy is room for the longest ids of a user, a department and a role.
const maxChosenBy = 1024

// Users names the users of an administrator's list.
type Users struct {
	// Names may repeat themselves; with none, nothing matches.
	Names []string
	// ChosenBy says what they were chosen by. It stands for them in cursors, so that a list can be walked while
	// others come to be chosen.
	ChosenBy string
}

// Users checks users, and gives their names sorted byte by byte and each once, and never nil.
func (c *Checks) Users(u *Users) []string {
	const name = "usernames"
	c.Entries(name, len(u.Names), MaxSearched)
	for i, username := range u.Names[:min(len(u.Names), MaxSearched)] {
		c.Username(fmt.Sprintf("%s[%d]", name, i), username, Required)
	}
	c.Text("chosen_by", u.ChosenBy, maxChosenBy, Required)
	sorted := append([]string{}, u.Names...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
