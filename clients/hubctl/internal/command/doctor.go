package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/doctor"
	"example.com/hub/clients/hubctl/internal/show"
	"example.com/hub/pkg/version"
)

const doctorLong = `doctor looks at everything between this machine and the Hub of the profile, and says of each
fault what to do: whether Hub is reached and what answers is Hub, its version, the certificate
and its end, both clocks, the token and whether Hub takes it, and whether a proxy holds the
stream of events back.

For the last it listens to the stream of a user who is not there, until a heartbeat comes, and
compares the times in it with when they came. It changes nothing in Hub.`

// examined is what doctor found.
type examined struct {
	URL      string           `json:"url"`
	ClientID string           `json:"clientId"`
	Hubctl   string           `json:"hubctl"`
	Findings []doctor.Finding `json:"findings"`
}

func (a *App) doctor() *cobra.Command {
	var wait time.Duration
	c := &cobra.Command{
		Use: "doctor", Short: "Look for what is wrong between here and Hub", Args: takes, Long: doctorLong,
		Example: "  hubctl doctor\n  hubctl doctor --profile prod -o json",
		RunE:    func(c *cobra.Command, _ []string) error { return a.examine(c.Context(), wait) },
	}
	c.Flags().DurationVar(&wait, "wait", 20*time.Second, "how long to wait for a heartbeat of the stream; longer than HUB_HEARTBEAT_INTERVAL")
	return c
}

func (a *App) examine(ctx context.Context, wait time.Duration) error {
	p, err := a.chosen()
	if err != nil {
		return err
	}
	client, err := a.clientOf(p)
	if err != nil {
		return err
	}
	to := a.terminal()
	seen := examined{URL: p.URL, ClientID: p.ClientID, Hubctl: version.Number(), Findings: []doctor.Finding{}}
	failed := false
	a.say("%s at %s, hubctl %s", show.Text(p.ClientID), show.Text(p.URL), seen.Hubctl)
	patient := doctor.Patient{
		Client: client, Wait: wait,
		Found: func(f doctor.Finding) {
			failed = failed || f.State == doctor.Fail
			seen.Findings = append(seen.Findings, f)
			a.showFinding(to, f)
		},
		Waiting: func() {
			if to := show.TerminalOf(a.Err, a.Environ); to.Width > 0 {
				fmt.Fprintln(a.Err, to.Paint(show.Faint, fmt.Sprintf("  waiting up to %s for a heartbeat", wait)))
			}
		},
	}
	err = patient.Examine(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if a.output == outputJSON {
		if err := show.JSON(a.Out, seen); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		return errors.Join(errTold, err) // its finding is shown; its kind is the exit code
	case failed:
		return errTold
	}
	return nil
}

func (a *App) showFinding(to show.Terminal, f doctor.Finding) {
	style := map[string]show.Style{doctor.OK: show.Good, doctor.Warn: show.Odd, doctor.Fail: show.Bad}[f.State]
	a.say("%s%*s  %-8s %s", to.Paint(style, f.State), 4-len(f.State), "", f.Check, show.Text(f.Detail))
	if f.Advice != "" {
		a.say("                 %s", show.Text(f.Advice))
	}
}
