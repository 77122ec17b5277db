package edge

import (
	"context"

	"example.com/hub/pkg/auth/clients"
	"example.com/hub/pkg/cli"
	"example.com/hub/services/edge/internal/issuer"
)

// NewClientCommand makes a client for HUB_CLIENTS_FILE, with a random secret that is nowhere else. The
// secret goes to standard error and the entry to standard output, so that the entry can be piped.
func NewClientCommand() cli.Command {
	return cli.Command{
		Name: "new-client", Args: "ID SCOPE...",
		Help: "makes a client: prints its secret, and its entry for HUB_CLIENTS_FILE",
		Details: "HUB_CLIENTS_FILE is a JSON file with the clients that may get tokens:\n\n" + issuer.ClientsForm +
			"\n\nnew-client prints such an entry. The scope client is what the calls of the hubs need, and directory those that feed the directory.",
		Run: func(_ context.Context, io cli.IO, args []string) error { return newClient(io, args) },
	}
}

func newClient(io cli.IO, args []string) error {
	if len(args) < 2 {
		return cli.ErrUsage
	}
	return clients.Create(io.Out, io.Err, args[0], args[1:])
}
