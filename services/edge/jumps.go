package edge

import (
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/signing"
	"example.com/hub/services/edge/internal/ticket"
)

// OpenTickets lets jumps into apps take tickets along, where Config names their keys. It comes after OpenTokens
// and OpenUsers, and publicURL is the iss of tickets. With ownKeys the file of keys is made where it is missing,
// which only an edge that is the only one may do.
func (d *Deps) OpenTickets(p *process.Process, publicURL string, ownKeys bool) error {
	if d.Config.Tickets.KeysFile == "" {
		return nil
	}
	keys, err := signing.Open(signing.Deps{
		File: reload.File{Setting: "HUB_TICKET_KEYS_FILE", Path: d.Config.Tickets.KeysFile}, Type: ticket.Type,
		Create: ownKeys, Clock: d.Clock, Logger: p.Logger,
	})
	if err != nil {
		return err
	}
	made := ticket.Deps{Keys: keys, Issuer: publicURL, Audiences: d.audiences, Clock: d.Clock}
	if d.signing != nil {
		made.Others = d.signing()
	}
	d.tickets, err = ticket.New(made)
	if err != nil {
		return err
	}
	d.tickets.Measure(p.Metrics)
	return nil
}
