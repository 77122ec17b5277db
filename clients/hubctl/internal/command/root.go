package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/hub/pkg/version"
)

const rootLong = `hubctl reports todos and messages to a Hub, shows them, watches them, and tells whether
a Hub and the way to it are sound.

Log in once, then call:

  hubctl login https://hub.example.com --client-id erp
  hubctl todo list alice
  hubctl message push --id m-1 --to alice,bob --title Maintenance --content 'Tonight at ten.'

Without a profile, as in a pipeline, HUBCTL_URL, HUBCTL_CLIENT_ID and HUBCTL_CLIENT_SECRET
name the Hub and the client; HUBCTL_CA_FILE has the authorities of its certificate, and
HUBCTL_PROFILE chooses a profile. They do not count beside --profile.

Tables are for people: they follow the width of the terminal. Programs use -o json, which
only ever gets more fields. Colours are for terminals, and NO_COLOR turns them off.

` + exitCodes

func (a *App) root() *cobra.Command {
	a.output = outputTable
	root := &cobra.Command{
		Use: "hubctl", Short: "Calls a Hub from a terminal or a script", Long: rootLong,
		Version: version.String(), SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs, // so that an unknown command is told by us
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if a.timeout <= 0 {
				return errors.New("--timeout must be more than 0")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown(c, args[0])
			}
			return c.Help()
		},
	}
	flags := root.PersistentFlags()
	flags.StringVarP(&a.profile, "profile", "p", "", "profile to use instead of the current one")
	flags.VarP(&a.output, "output", "o", "table for people or json for programs")
	flags.DurationVar(&a.timeout, "timeout", 30*time.Second, "how long one call may take")
	a.completes(root, "profile", a.profileNames)
	a.completes(root, "output", oneOf("table", "json"))
	root.AddGroup(
		&cobra.Group{ID: "work", Title: "Todos and messages:"},
		&cobra.Group{ID: "look", Title: "The Hub itself:"},
		&cobra.Group{ID: "own", Title: "This program:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("work", a.todo(), a.message(), a.watch(), a.importTodos())
	add("look", a.doctor(), a.conformance(), a.time(), a.newClient())
	add("own", a.login(), a.profiles())
	root.SetHelpCommandGroupID("own")
	root.SetCompletionCommandGroupID("own")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return err })
	return root
}

// group is a command that only has others below it.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown(c, args[0])
			}
			return errors.New("which one? " + names(c))
		},
	}
	c.AddCommand(commands...)
	return c
}

func unknown(c *cobra.Command, word string) error {
	return fmt.Errorf("%s has no command %q, but %s", c.CommandPath(), word, names(c))
}

func names(c *cobra.Command) string {
	var all []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, sub.Name())
		}
	}
	return strings.Join(all, ", ")
}

// takes demands the arguments that the usage of a command names; those in brackets may be left out.
func takes(c *cobra.Command, args []string) error {
	wanted := slices.DeleteFunc(strings.Fields(c.Use)[1:], func(word string) bool { return strings.HasPrefix(word, "-") })
	for i, word := range wanted {
		if i >= len(args) && !strings.HasPrefix(word, "[") {
			return fmt.Errorf("%s is missing: %s", strings.TrimSuffix(word, "..."), c.UseLine())
		}
	}
	endless := len(wanted) > 0 && strings.Contains(wanted[len(wanted)-1], "...")
	if len(args) > len(wanted) && !endless {
		return fmt.Errorf("%q is too much: %s", args[len(wanted)], c.UseLine())
	}
	return nil
}

// completion gives the words that may stand in a place.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

func oneOf(list ...string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completes offers words for a flag of a command.
func (*App) completes(c *cobra.Command, flag string, offer completion) {
	if err := c.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err) // only for a flag that the command has not
	}
}

// profileNames offers the profiles that there are.
func (a *App) profileNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := a.openProfiles()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}
