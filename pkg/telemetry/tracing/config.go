package tracing

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Config are the standard settings of OpenTelemetry by which Hub decides whether there are traces, and
// where they go. Its SDK itself reads the samplers (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG), what
// describes the process (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES), OTEL_BSP_* and the rest of
// OTEL_EXPORTER_OTLP_* (headers, certificates, compression, timeouts).
type Config struct {
	Disabled       bool   `env:"OTEL_SDK_DISABLED"                  envDefault:"false"                 help:"true switches traces off, whatever the other settings say"`
	Exporter       string `env:"OTEL_TRACES_EXPORTER"                                                  help:"otlp or none; empty: otlp when an endpoint is set"`
	Endpoint       string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"                                           help:"URL of the collector; without one, traces are off"`
	TracesEndpoint string `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"                                    help:"URL of the collector for traces alone, with its path"`
	Protocol       string `env:"OTEL_EXPORTER_OTLP_PROTOCOL"        envDefault:"http/protobuf"         help:"how the collector is spoken to: http/protobuf or grpc"`
	TracesProtocol string `env:"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"                                    help:"as OTEL_EXPORTER_OTLP_PROTOCOL, for traces alone"`
}

// Protocols of the collector.
const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

// Validate checks the words and the addresses.
func (c Config) Validate() error {
	var faults []error
	fail := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fail(slices.Contains([]string{"", "none", "otlp"}, c.Exporter), "OTEL_TRACES_EXPORTER: must be otlp or none, not %q", c.Exporter)
	for _, p := range [][2]string{{"OTEL_EXPORTER_OTLP_PROTOCOL", c.Protocol}, {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", c.TracesProtocol}} {
		fail(slices.Contains([]string{"", protocolGRPC, protocolHTTP}, p[1]), "%s: must be %s or %s, not %q", p[0], protocolHTTP, protocolGRPC, p[1])
	}
	for _, e := range [][2]string{{"OTEL_EXPORTER_OTLP_ENDPOINT", c.Endpoint}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.TracesEndpoint}} {
		u, err := url.Parse(e[1])
		good := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
		fail(e[1] == "" || good, "%s: must be a URL such as http://collector:4318, not %q", e[0], e[1])
	}
	return errors.Join(faults...)
}

// enabled tells whether somebody asked for traces.
func (c Config) enabled() bool {
	if c.Disabled || c.Exporter == "none" {
		return false
	}
	return c.Exporter != "" || c.endpoint() != ""
}

// endpoint is where the exporter sends to; empty is its own default, on this machine.
func (c Config) endpoint() string {
	if c.TracesEndpoint != "" || c.Endpoint == "" || c.protocol() == protocolGRPC {
		return cmp.Or(c.TracesEndpoint, c.Endpoint)
	}
	return strings.TrimSuffix(c.Endpoint, "/") + "/v1/traces"
}

func (c Config) protocol() string { return cmp.Or(c.TracesProtocol, c.Protocol, protocolHTTP) }
