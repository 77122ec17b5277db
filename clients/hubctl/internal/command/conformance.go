package command

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/conformance"
	"example.com/hub/clients/hubctl/internal/profile"
	"example.com/hub/clients/hubctl/internal/show"
)

const conformanceLong = `conformance holds a Hub to its contract from the outside, sentence by sentence. It writes todos
and messages of users whom it makes up, so do not run it where these would disturb; every run
takes new names.

It needs three clients and no profile, by default those of the demo. Another Hub's stand in
variables, as ID:SECRET:

  HUB_TARGET_CLIENT   erp:erp-secret          with the scope client
  HUB_TARGET_CLIENT2  portal:portal-secret    another one with the scope client
  HUB_TARGET_LIMITED  limited:limited-secret  one that has the scope HUB_TARGET_LIMITED_SCOPE (profile) only
  HUB_TARGET_FEED     hr:hr-secret            with the scope directory; for --suite portal

and so do its settings, where they are not the defaults: HUB_TARGET_HEARTBEAT (15s),
HUB_TARGET_MAX_PAGE_SIZE (200), HUB_TARGET_MAX_TARGETS (10000), HUB_TARGET_MAX_BODY (4194304),
HUB_TARGET_ERROR_STATUS (200 or nothing), HUB_TARGET_TODO_OWNERSHIP (shared),
HUB_TARGET_TIME_ZONE (UTC), HUB_TARGET_URL_SCHEMES, HUB_TARGET_TOKEN_PATH. SSL_CERT_FILE names
the authorities of a certificate that the system does not know.

The suite portal has what Hub offers beyond the contract.`

const conformanceExample = `  hubctl conformance http://127.0.0.1:8080
  hubctl conformance https://hub.example.com --cases 'stream|resume' --list
  hubctl conformance https://hub.example.com --suite portal -o json >report.json`

func (a *App) conformance() *cobra.Command {
	o := conformance.Options{Suite: conformance.Contract}
	var list bool
	c := &cobra.Command{
		Use: "conformance URL", Short: "Hold a Hub to its contract", Args: takes, Long: conformanceLong, Example: conformanceExample,
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if o.URL, err = profile.Address(args[0]); err != nil {
				return err
			}
			if o.Suite != conformance.Contract && o.Suite != conformance.Portal {
				return fmt.Errorf("--suite must be %s or %s, not %q", conformance.Contract, conformance.Portal, o.Suite)
			}
			return a.conform(c.Context(), o, list)
		},
	}
	c.Flags().StringVar(&o.Suite, "suite", o.Suite, "contract, or portal for what is beyond it")
	c.Flags().StringVar(&o.Cases, "cases", "", "only these: AREA or AREA/CASE, as regular expressions")
	c.Flags().BoolVar(&list, "list", false, "list every case")
	a.completes(c, "suite", oneOf(conformance.Contract, conformance.Portal))
	return c
}

func (a *App) conform(ctx context.Context, o conformance.Options, list bool) error {
	if err := a.answers(ctx, o.URL); err != nil {
		return err
	}
	to := show.TerminalOf(a.Err, a.Environ)
	ended := 0
	o.Progress = func(c conformance.Case) {
		if ended++; to.Width > 0 {
			fmt.Fprintf(a.Err, "\r\x1b[K%d cases, the last of %s", ended, show.Text(c.Area))
		}
	}
	report, err := conformance.Run(ctx, o)
	if ended > 0 && to.Width > 0 {
		fmt.Fprint(a.Err, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	if err := a.print(report, func(to show.Terminal) error { return a.showReport(to, report, list) }); err != nil {
		return err
	}
	if report.Failed > 0 {
		return errTold
	}
	return nil
}

// answers sees that anybody does, so that a Hub that is not there does not fail all cases.
func (a *App) answers(ctx context.Context, base string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base, http.NoBody)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Timeout: a.timeout}).Do(request)
	if err != nil {
		return cmp.Or[error](ctx.Err(), api.NoAnswer(base, err))
	}
	return response.Body.Close()
}

func (a *App) showReport(to show.Terminal, r conformance.Report, list bool) error {
	table := areaTable(r)
	if list {
		table = caseTable(r)
	}
	if err := table.Write(a.Out, to); err != nil {
		return err
	}
	for _, c := range r.Cases {
		if c.Result == conformance.Fail {
			a.say("\n%s\n%s", to.Paint(show.Bad, show.Text(c.Area+"/"+c.Name)), show.Lines(strings.TrimRight(c.Output, "\n")))
		}
	}
	a.say("\n%d passed, %d failed, %d skipped, in %.0f s", r.Passed, r.Failed, r.Skipped, r.Seconds)
	return nil
}

func styleOf(result string) show.Style {
	switch result {
	case conformance.Pass:
		return show.Good
	case conformance.Fail:
		return show.Bad
	}
	return show.Odd
}

func caseTable(r conformance.Report) show.Table {
	table := show.Table{Columns: []string{"RESULT", "SECONDS", "AREA", "CASE"}}
	for _, c := range sorted(r.Cases) {
		row := show.Cells(c.Result, strconv.FormatFloat(c.Seconds, 'f', 2, 64), c.Area, c.Name)
		row[0].Style = styleOf(c.Result)
		table.Rows = append(table.Rows, row)
	}
	return table
}

// areaTable counts the results of each area.
func areaTable(r conformance.Report) show.Table {
	table := show.Table{Columns: []string{"AREA", "PASSED", "FAILED", "SKIPPED"}}
	for cases := sorted(r.Cases); len(cases) > 0; {
		area := cases[0].Area
		counts := map[string]int{}
		for len(cases) > 0 && cases[0].Area == area {
			counts[cases[0].Result]++
			cases = cases[1:]
		}
		row := show.Cells(area, strconv.Itoa(counts[conformance.Pass]), strconv.Itoa(counts[conformance.Fail]), strconv.Itoa(counts[conformance.Skip]))
		if counts[conformance.Fail] > 0 {
			row[2].Style = show.Bad
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func sorted(cases []conformance.Case) []conformance.Case {
	return slices.SortedFunc(slices.Values(cases), func(a, b conformance.Case) int {
		return cmp.Or(strings.Compare(a.Area, b.Area), strings.Compare(a.Name, b.Name))
	})
}
