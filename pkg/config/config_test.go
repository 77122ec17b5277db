package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/config"
)

type limits struct {
	Page int64         `env:"HUB_PAGE" envDefault:"200" help:"largest page"`
	Wait time.Duration `env:"HUB_WAIT" envDefault:"2s"  help:"longest wait"`
}

func (l limits) Validate() error {
	if l.Page < 1 {
		return errors.New("HUB_PAGE: must be at least 1")
	}
	return nil
}

type settings struct {
	Limits limits
	Names  []string `env:"HUB_NAMES" help:"names, separated by commas"`
	Key    string   `env:"HUB_KEY"   secret:"true"                     help:"a key"`
	Again  int64    `env:"HUB_PAGE"  envDefault:"200"                  help:"largest page"`
}

func TestLoad(t *testing.T) {
	var got settings
	err := config.Load(&got, []string{"HUB_WAIT=5s", "HUB_NAMES=a,b", "HUB_PAGE=", "OTHER=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := settings{Limits: limits{Page: 200, Wait: 5 * time.Second}, Names: []string{"a", "b"}, Again: 200}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadNamesEveryFault(t *testing.T) {
	var got settings
	for _, tt := range []struct{ environ, want []string }{
		{[]string{"HUB_WAIT=soon", "HUB_PAGE=many"}, []string{"HUB_WAIT: ", "HUB_PAGE: "}},
		{[]string{"HUB_WAIT=soon", "HUB_PAGE=0"}, []string{"HUB_WAIT: ", "HUB_PAGE: must be at least 1"}},
	} {
		err := config.Load(&got, tt.environ)
		if err == nil {
			t.Fatal("got no error")
		}
		lines := slices.Compact(slices.Sorted(slices.Values(strings.Split(err.Error(), "\n"))))
		slices.Sort(tt.want)
		if !slices.EqualFunc(lines, tt.want, strings.HasPrefix) {
			t.Errorf("got %q, want %q", lines, tt.want)
		}
	}
}

func TestLoadRunsNestedRules(t *testing.T) {
	var got settings
	err := config.Load(&got, []string{"HUB_PAGE=0"})
	if err == nil || err.Error() != "HUB_PAGE: must be at least 1" {
		t.Errorf("got %v", err)
	}
}

func TestSettings(t *testing.T) {
	want := []config.Setting{
		{Name: "HUB_KEY", Help: "a key", Secret: true},
		{Name: "HUB_NAMES", Help: "names, separated by commas"},
		{Name: "HUB_PAGE", Default: "200", Help: "largest page"},
		{Name: "HUB_WAIT", Default: "2s", Help: "longest wait"},
	}
	if diff := cmp.Diff(want, config.Settings(&settings{})); diff != "" {
		t.Error(diff)
	}
}

func TestWriteUsage(t *testing.T) {
	var out strings.Builder
	if err := config.WriteUsage(&out, settings{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "HUB_WAIT   2s   longest wait\n") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestWriteUsageInGroups(t *testing.T) {
	type inner struct {
		Level string `env:"HUB_LEVEL" envDefault:"info" help:"least level"`
		File  string `env:"HUB_FILE"  first:"true"      help:"a file"`
	}
	type outer struct {
		Size int   `env:"HUB_SIZE" envDefault:"3" help:"how many"`
		Log  inner `group:"Logs"`
	}
	var out strings.Builder
	if err := config.WriteUsage(&out, outer{}); err != nil {
		t.Fatal(err)
	}
	want := `
 To set first:
  HUB_FILE  -  a file

 General:
  HUB_SIZE  3  how many

 Logs:
  HUB_LEVEL  info  least level
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
