package config_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/config/configtest"
)

// kinds has a setting of every type that settings have.
type kinds struct {
	Text  string        `env:"HUB_TEXT"  help:"any words"`
	On    bool          `env:"HUB_ON"    help:"whether"`
	Many  int           `env:"HUB_MANY"  help:"bytes, from 1 to 9"`
	Few   int32         `env:"HUB_FEW"   help:"how few"`
	Large int64         `env:"HUB_LARGE" help:"how large"`
	Share float64       `env:"HUB_SHARE" help:"share, 0 to 1"`
	Wait  time.Duration `env:"HUB_WAIT"  help:"longest wait"`
	Names []string      `env:"HUB_NAMES" help:"names, separated by commas"`
	Level slog.Level    `env:"HUB_LEVEL" help:"least level"`
	Color color         `env:"HUB_COLOR" help:"a color"`
	Pin   int           `env:"HUB_PIN"   secret:"true"                     help:"a secret number"`
}

type color string

func (c *color) UnmarshalText(text []byte) error {
	if *c = color(text); *c != "red" && *c != "blue" {
		return errors.New("must be red or blue")
	}
	return nil
}

func TestUnreadableValues(t *testing.T) {
	for setting, want := range map[string]string{
		"HUB_ON=yes":                    `HUB_ON: must be true or false, not "yes" (whether)`,
		"HUB_MANY=many":                 `HUB_MANY: must be a whole number, not "many" (bytes, from 1 to 9)`,
		"HUB_MANY=4MB":                  `HUB_MANY: must be a whole number, not "4MB" (bytes, from 1 to 9)`,
		"HUB_MANY=1.5":                  `HUB_MANY: must be a whole number, not "1.5" (bytes, from 1 to 9)`,
		"HUB_FEW=3000000000":            `HUB_FEW: must be a whole number up to 2147483647, not "3000000000" (how few)`,
		"HUB_LARGE=9999999999999999999": `HUB_LARGE: must be a whole number up to 9223372036854775807, not "9999999999999999999" (how large)`,
		"HUB_SHARE=half":                `HUB_SHARE: must be a number, not "half" (share, 0 to 1)`,
		"HUB_WAIT=15":                   `HUB_WAIT: must have a unit: write 15s for seconds, not "15" (longest wait)`,
		"HUB_WAIT=15 s":                 `HUB_WAIT: must be numbers with units, such as 500ms, 15s or 1h30m, not "15 s" (longest wait)`,
		"HUB_LEVEL=loud":                `HUB_LEVEL: must be debug, info, warn or error, not "loud" (least level)`,
		"HUB_LEVEL=info+2":              `HUB_LEVEL: must be debug, info, warn or error, not "info+2" (least level)`,
		"HUB_COLOR=green":               `HUB_COLOR: must be red or blue, not "green" (a color)`,
		"HUB_PIN=x7":                    `HUB_PIN: must be a whole number (a secret number)`,
	} {
		if err := config.Load(new(kinds), []string{setting}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", setting, err, want)
		}
	}
	configtest.Words[kinds](t)
}

func TestReadableValues(t *testing.T) {
	var got kinds
	err := config.Load(&got, strings.Fields(
		"HUB_ON=1 HUB_MANY=-7 HUB_FEW=8 HUB_LARGE=9223372036854775807 HUB_SHARE=0.5 HUB_WAIT=1m30s HUB_LEVEL=WARN HUB_COLOR=blue HUB_NAMES=a"))
	if err != nil {
		t.Fatal(err)
	}
	if !got.On || got.Many != -7 || got.Few != 8 || got.Large != 1<<63-1 || got.Share != 0.5 || got.Wait != 90*time.Second ||
		got.Level != slog.LevelWarn || got.Color != "blue" || len(got.Names) != 1 {
		t.Errorf("got %+v", got)
	}
}

// Two structs may have a field of one name for two variables, and read one variable in two fields.
func TestFaultsNameTheVariableOnce(t *testing.T) {
	type area struct {
		Wait time.Duration `env:"HUB_A_WAIT" help:"a"`
		Page int           `env:"HUB_PAGE"   help:"page"`
	}
	type other struct {
		Wait time.Duration `env:"HUB_B_WAIT" help:"b"`
		Page int           `env:"HUB_PAGE"   help:"page"`
	}
	err := config.Load(&struct {
		A area
		B other
	}{}, []string{"HUB_B_WAIT=x", "HUB_PAGE=x"})
	const want = `HUB_PAGE: must be a whole number, not "x" (page)` + "\n" +
		`HUB_B_WAIT: must be numbers with units, such as 500ms, 15s or 1h30m, not "x" (b)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
