package main

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/edge"
)

// targets say where the hubs are.
type targets struct {
	TodohubTarget    string `env:"HUB_TODOHUB_TARGET"    envDefault:"dns:///todohub:9090"    first:"true" help:"todohub: a gRPC target, or addresses separated by commas"`
	MessagehubTarget string `env:"HUB_MESSAGEHUB_TARGET" envDefault:"dns:///messagehub:9090" first:"true" help:"messagehub: a gRPC target, or addresses separated by commas"`
	PortalhubTarget  string `env:"HUB_PORTALHUB_TARGET"                                      first:"true" help:"portalhub: a gRPC target, or addresses separated by commas; empty: none, and sessions of users are in the memory of this edge"`
	TodohubName      string `env:"HUB_TODOHUB_SERVER_NAME"    help:"name that the certificate of todohub must have; empty: the host of HUB_TODOHUB_TARGET"`
	MessagehubName   string `env:"HUB_MESSAGEHUB_SERVER_NAME" help:"name that the certificate of messagehub must have; empty: the host of HUB_MESSAGEHUB_TARGET"`
	PortalhubName    string `env:"HUB_PORTALHUB_SERVER_NAME"  help:"name that the certificate of portalhub must have; empty: the host of HUB_PORTALHUB_TARGET"`
}

// validate wants authorities for a name in a certificate.
func (t targets) validate(client tlsfiles.ClientSettings) error {
	var faults []error
	for _, name := range [][2]string{
		{"HUB_TODOHUB_SERVER_NAME", t.TodohubName},
		{"HUB_MESSAGEHUB_SERVER_NAME", t.MessagehubName},
		{"HUB_PORTALHUB_SERVER_NAME", t.PortalhubName},
	} {
		if name[1] != "" && client.CAFile == "" {
			faults = append(faults, fmt.Errorf("%s: needs HUB_HUBS_CA_FILE", name[0]))
		}
	}
	return errors.Join(faults...)
}

func (o *opening) dialHubs(context.Context) error {
	files, err := o.TLS("client", o.cfg.Hubs.Open)
	if err != nil {
		return err
	}
	key, err := o.cfg.Internal.Key()
	if err != nil {
		return fmt.Errorf("HUB_INTERNAL_KEY_FILE: %w", err)
	}
	todo, err := o.dial("todo", edge.Target{Key: key, Address: o.cfg.Targets.TodohubTarget, ServerName: o.cfg.Targets.TodohubName, TLS: files})
	if err != nil {
		return fmt.Errorf("HUB_TODOHUB_TARGET: %w", err)
	}
	o.deps.Todo = o.Tracer.Conn(todo)
	messages, err := o.dial("message", edge.Target{Key: key, Address: o.cfg.Targets.MessagehubTarget, ServerName: o.cfg.Targets.MessagehubName, TLS: files})
	if err != nil {
		return fmt.Errorf("HUB_MESSAGEHUB_TARGET: %w", err)
	}
	o.deps.Messages = o.Tracer.Conn(messages)
	if o.cfg.Targets.PortalhubTarget != "" {
		portal, err := o.dial("portal", edge.Target{Key: key, Address: o.cfg.Targets.PortalhubTarget, ServerName: o.cfg.Targets.PortalhubName, TLS: files})
		if err != nil {
			return fmt.Errorf("HUB_PORTALHUB_TARGET: %w", err)
		}
		o.deps.Portal = o.Tracer.Conn(portal)
	}
	o.deps.EventLog, o.deps.InternalKey = edge.NewEventLog(messages, key), key
	return nil
}

func (o *opening) dial(area string, t edge.Target) (grpc.ClientConnInterface, error) {
	t.Area, t.Replicas, t.MaxReceive, t.Metrics, t.Logger = area, o.cfg.Replicas, o.cfg.Edge.MaxReceive(), o.Metrics, o.Logger
	conn, err := edge.Dial(t)
	if err != nil {
		return nil, err
	}
	o.Add(lifecycle.Closer(area+"hub", conn))
	return conn, nil
}
