package retention

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	day = 24 * time.Hour
	// minAge keeps a slip of the pen, such as 30m for 30d, from emptying a database.
	minAge = time.Hour
)

// Age is for how long something is kept: a number of days, such as 30d, or a duration as Go writes it,
// such as 720h. 0 keeps it for ever.
type Age time.Duration

// UnmarshalText reads the value of a setting.
func (a *Age) UnmarshalText(text []byte) error {
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > math.MaxInt64/uint64(day) {
			return errNoAge
		}
		*a = Age(time.Duration(n) * day)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errNoAge
	}
	*a = Age(d)
	return nil
}

var errNoAge = errors.New("must be days like 30d or hours like 720h")

// Check fails when the age is neither 0 nor at least an hour; setting is what it was read from.
func (a Age) Check(setting string) error {
	if a != 0 && time.Duration(a) < minAge {
		return fmt.Errorf("%s: must be empty or at least %s, not %s", setting, minAge, time.Duration(a))
	}
	return nil
}
