package field

import "fmt"

// UserIDConfig is the setting of the ids of users, which the edge and the portal's hub share.
type UserIDConfig struct {
	UserIDs string `env:"HUB_USER_IDS" envDefault:"username" help:"what an id of a user is: username (the username itself) or directory (that of the directory, which portalhub keeps)"`
}

// The values of HUB_USER_IDS.
const (
	idsAreUsernames    = "username"
	idsAreOfADirectory = "directory"
)

// Validate checks the value.
func (c UserIDConfig) Validate() error {
	if c.UserIDs != idsAreUsernames && c.UserIDs != idsAreOfADirectory {
		return fmt.Errorf("HUB_USER_IDS: must be username or directory, not %q", c.UserIDs)
	}
	return nil
}

// ByDirectory tells whether an id of a user is that of the directory, and not her username.
func (c UserIDConfig) ByDirectory() bool { return c.UserIDs == idsAreOfADirectory }
