package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"

	hub "example.com/hub/clients/go"
	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

// Exit codes.
const (
	exitOK          = 0
	exitRefused     = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitDenied      = 4
	exitInterrupted = 130
)

const exitCodes = `Exit codes:
  0    it is done
  1    Hub refuses it, or what was checked or imported has faults
  2    the call is wrong: arguments, a file, a profile
  3    Hub cannot be reached, or says that it cannot do this now
  4    Hub does not know the client, or does not let it do this
  130  it was interrupted`

// errTold ends a command that has already said what is wrong with what it looked at.
var errTold = errors.New("there are faults")

// exitCode is the code of a command's error. What is neither Hub's nor the network's is a wrong call.
func exitCode(ctx context.Context, err error) int {
	refused, unreachable, failed := new(api.Refused), new(api.Unreachable), new(hub.Error)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &refused):
		return statusCode(refused)
	case errors.As(err, &unreachable):
		return exitUnreachable
	case errors.As(err, &failed):
		return codeOf(failed)
	case errors.Is(err, errTold):
		return exitRefused
	}
	return exitUsage
}

func statusCode(r *api.Refused) int {
	switch {
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		return exitDenied
	case r.Transient():
		return exitUnreachable
	}
	return exitRefused
}

func codeOf(e *hub.Error) int {
	switch e.Code {
	case codes.Unauthenticated, codes.PermissionDenied:
		return exitDenied
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted:
		return exitUnreachable
	}
	return exitRefused
}

// complaint is an error for programs.
type complaint struct {
	Error     string `json:"error"`
	ExitCode  int    `json:"exitCode"`
	Status    int    `json:"status,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// complain says on standard error why the command failed.
func (a *App) complain(command string, code int, err error) {
	if code == exitInterrupted {
		return
	}
	text := words(err)
	if a.output == outputJSON {
		c := complaint{Error: text, ExitCode: code}
		if refused := new(api.Refused); errors.As(err, &refused) {
			c.Error, c.Status, c.RequestID = refused.Msg, refused.Status, refused.RequestID
		}
		_ = show.JSONLine(a.Err, c) // there is nowhere to say that it fails
		return
	}
	to := show.TerminalOf(a.Err, a.Environ)
	fmt.Fprintf(a.Err, "%s %s\n", to.Paint(show.Bad, "hubctl:"), show.Lines(text))
	if code == exitUsage {
		fmt.Fprintf(a.Err, "  %s --help\n", command)
	}
}

// words are an error's for a person.
func words(err error) string {
	if failed := new(hub.Error); errors.As(err, &failed) {
		if cause := failed.Unwrap(); failed.Code == codes.Unavailable && cause != nil {
			return failed.Message + ": " + cause.Error()
		}
		return failed.Message
	}
	return strings.TrimSpace(err.Error())
}
