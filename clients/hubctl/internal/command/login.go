package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/hub/clients/hubctl/internal/profile"
	"example.com/hub/clients/hubctl/internal/show"
)

const loginLong = `login asks for the secret of a client, gets a token with it to see that it is right, and
keeps both in a profile, in a file that only you may read (mode 0600). The profile becomes
the current one.

The secret is asked for without showing it. A pipe or --secret-file takes it from elsewhere;
it is never an argument, which everybody on the machine could see.`

const loginExample = `  hubctl login http://127.0.0.1:8080 --client-id erp
  hubctl login https://hub.example.com --client-id erp --profile prod
  vault read -field=secret hub/erp | hubctl login https://hub.example.com --client-id erp
  hubctl login https://hub.example.com --client-id erp --secret-file /run/secrets/erp`

func (a *App) login() *cobra.Command {
	var p profile.Profile
	var secretFile string
	c := &cobra.Command{
		Use: "login URL", Short: "Keep a Hub and a client of it in a profile", Long: loginLong, Example: loginExample, Args: takes,
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if p.URL, err = profile.Address(args[0]); err != nil {
				return err
			}
			return a.logIn(c.Context(), p, secretFile)
		},
	}
	c.Flags().StringVar(&p.ClientID, "client-id", "", "id of the client (required)")
	c.Flags().StringVar(&secretFile, "secret-file", "", "file with the client's secret; - is standard input")
	c.Flags().StringVar(&p.TokenURL, "token-url", "", "token endpoint, where it is not Hub's own")
	c.Flags().StringVar(&p.CAFile, "ca-file", "", "authorities of the Hub's certificate in PEM, where they are not the system's")
	return c
}

func (a *App) logIn(ctx context.Context, p profile.Profile, secretFile string) error {
	name := cmp.Or(a.profile, a.variable(variableProfile), profile.Default)
	if err := profile.CheckName(name); err != nil {
		return err
	}
	if p.ClientID == "" {
		return errors.New("--client-id is missing")
	}
	file, err := a.openProfiles()
	if err != nil {
		return err
	}
	if p.ClientSecret, err = a.secret(p.ClientID, secretFile); err != nil {
		return err
	}
	client, err := a.clientOf(p)
	if err != nil {
		return err
	}
	if _, err := client.Tokens.Token(ctx); err != nil {
		return err
	}
	file.Profiles[name], file.Current = p, name
	if err := file.Save(); err != nil {
		return err
	}
	path, err := profile.Path()
	if err != nil {
		return err
	}
	return a.print(shownProfile{name, p.URL, p.ClientID, true}, func(show.Terminal) error {
		_, err := fmt.Fprintf(a.Out, "You are %s at %s. The profile %q in %s is the current one.\n",
			show.Text(p.ClientID), show.Text(p.URL), name, show.Text(path))
		return err
	})
}

// secret asks a person for the secret without showing it, or takes the first line of a file or a pipe.
func (a *App) secret(id, file string) (string, error) {
	in := a.In
	switch f, ok := a.In.(*os.File); {
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		in = f
	case file == "" && ok && term.IsTerminal(int(f.Fd())):
		return a.unseen(f, "Secret of "+show.Text(id)+": ")
	}
	text, err := bufio.NewReader(io.LimitReader(in, 64<<10)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return checkSecret(strings.TrimRight(text, "\r\n"), err)
}

// unseen reads a line from a terminal without showing it. The terminal shows nothing from before the question, so
// that who types early is not seen.
func (a *App) unseen(f *os.File, question string) (string, error) {
	before, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return "", err
	}
	screen := struct {
		io.Reader
		io.Writer
	}{f, a.Err}
	text, err := term.NewTerminal(screen, "").ReadPassword(question)
	if errors.Is(err, io.EOF) { // Ctrl-C, or Ctrl-D
		err = context.Canceled
	}
	return checkSecret(text, errors.Join(err, term.Restore(int(f.Fd()), before)))
}

func checkSecret(secret string, err error) (string, error) {
	if err == nil && secret == "" {
		err = errors.New("there is no secret on standard input or in the file")
	}
	return secret, err
}
