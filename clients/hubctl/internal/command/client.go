package command

import (
	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/show"
	"example.com/hub/pkg/auth/clients"
)

func (a *App) newClient() *cobra.Command {
	var scopes []string
	c := &cobra.Command{
		Use: "new ID", Short: "Make a client with a new secret", Args: takes,
		Long: `new makes a client as edge new-client does. Its secret is printed once and kept nowhere. The
entry, which has the sum of the secret only, belongs into the file of HUB_CLIENTS_FILE; edges
read that file again by themselves. No Hub is called.

The secret goes to standard error and the entry to standard output. With -o json both are in
one object on standard output.`,
		Example: `  hubctl client new crm
  hubctl client new hr --scope directory >entry.json`,
		RunE: func(_ *cobra.Command, args []string) error { return a.makeClient(args[0], scopes) },
	}
	c.Flags().StringSliceVar(&scopes, "scope", []string{"client"}, "what it may ask for: client, and directory for those that feed the directory")
	return group("client", "Make clients for a Hub", "client makes the clients that may get tokens of a Hub.", c)
}

func (a *App) makeClient(id string, scopes []string) error {
	if a.output != outputJSON {
		return clients.Create(a.Out, a.Err, id, scopes)
	}
	made, secret, err := clients.New(id, scopes)
	if err != nil {
		return err
	}
	return show.JSON(a.Out, struct {
		Secret string         `json:"secret"`
		Entry  clients.Client `json:"entry"`
	}{secret, made})
}
