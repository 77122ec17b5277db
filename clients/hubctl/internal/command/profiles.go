package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/show"
)

// shownProfile is what is shown of a profile: everything but the secret.
type shownProfile struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	ClientID string `json:"clientId"`
	Current  bool   `json:"current"`
}

func (a *App) profiles() *cobra.Command {
	return group("profile", "List, choose and remove profiles",
		"profile looks after what hubctl login keeps. A secret is never shown.",
		&cobra.Command{
			Use: "list", Short: "List the profiles", Args: takes,
			Long:    "list shows which Hubs and clients you have logged in to, and which profile is the current one.",
			Example: "  hubctl profile list -o json",
			RunE:    func(*cobra.Command, []string) error { return a.listProfiles() },
		},
		&cobra.Command{
			Use: "use NAME", Short: "Make a profile the current one", Args: takes, ValidArgsFunction: a.profileNames,
			Long:    "use makes a profile the one that counts where --profile and HUBCTL_PROFILE name none.",
			Example: "  hubctl profile use prod",
			RunE:    func(_ *cobra.Command, args []string) error { return a.useProfile(args[0]) },
		},
		&cobra.Command{
			Use: "remove NAME", Short: "Forget a profile and its secret", Args: takes, ValidArgsFunction: a.profileNames,
			Long:    "remove forgets a profile and its secret. Hub does not hear of it: the secret stays good there.",
			Example: "  hubctl profile remove prod",
			RunE:    func(_ *cobra.Command, args []string) error { return a.removeProfile(args[0]) },
		},
	)
}

func (a *App) listProfiles() error {
	file, err := a.openProfiles()
	if err != nil {
		return err
	}
	all := []shownProfile{}
	table := show.Table{Columns: []string{"PROFILE", "CURRENT", "URL", "CLIENT"}}
	for _, name := range file.Names() {
		p := file.Profiles[name]
		mark := ""
		if name == file.Current {
			mark = "*"
		}
		all = append(all, shownProfile{name, p.URL, p.ClientID, name == file.Current})
		table.Rows = append(table.Rows, show.Cells(name, mark, p.URL, p.ClientID))
	}
	return a.print(all, func(to show.Terminal) error { return table.Write(a.Out, to) })
}

func (a *App) useProfile(name string) error {
	file, err := a.openProfiles()
	if err != nil {
		return err
	}
	p, err := file.Find(name)
	if err != nil {
		return err
	}
	file.Current = name
	if err := file.Save(); err != nil {
		return err
	}
	return a.print(shownProfile{name, p.URL, p.ClientID, true}, func(show.Terminal) error {
		_, err := fmt.Fprintf(a.Out, "The current profile is %q: %s at %s.\n", name, show.Text(p.ClientID), show.Text(p.URL))
		return err
	})
}

func (a *App) removeProfile(name string) error {
	file, err := a.openProfiles()
	if err != nil {
		return err
	}
	p, err := file.Find(name)
	if err != nil {
		return err
	}
	delete(file.Profiles, name)
	if file.Current == name {
		file.Current = ""
	}
	if err := file.Save(); err != nil {
		return err
	}
	return a.print(shownProfile{name, p.URL, p.ClientID, false}, func(show.Terminal) error {
		_, err := fmt.Fprintf(a.Out, "The profile %q is gone.\n", name)
		return err
	})
}
