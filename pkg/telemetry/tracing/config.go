package tracing

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// Config are the standard settings of OpenTelemetry that Hub looks at. The exporter itself reads the
// rest of OTEL_EXPORTER_OTLP_* (headers, certificates, compression, timeouts) and OTEL_BSP_*.
type Config struct {
	Disabled       bool     `env:"OTEL_SDK_DISABLED"                  envDefault:"false"                 help:"true switches traces off, whatever the other settings say"`
	Exporter       string   `env:"OTEL_TRACES_EXPORTER"                                                  help:"otlp or none; empty: otlp when an endpoint is set"`
	Endpoint       string   `env:"OTEL_EXPORTER_OTLP_ENDPOINT"                                           help:"URL of the collector; without one, traces are off"`
	TracesEndpoint string   `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"                                    help:"URL of the collector for traces alone, with its path"`
	Protocol       string   `env:"OTEL_EXPORTER_OTLP_PROTOCOL"        envDefault:"http/protobuf"         help:"how the collector is spoken to: http/protobuf or grpc"`
	TracesProtocol string   `env:"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"                                    help:"as OTEL_EXPORTER_OTLP_PROTOCOL, for traces alone"`
	Sampler        string   `env:"OTEL_TRACES_SAMPLER"                envDefault:"parentbased_always_on" help:"which requests are traced: always_on, always_off, traceidratio, or these behind parentbased_, which lets the caller decide"`
	SamplerArg     string   `env:"OTEL_TRACES_SAMPLER_ARG"                                               help:"share of the requests for traceidratio, 0 to 1; empty: 1"`
	Propagators    []string `env:"OTEL_PROPAGATORS"                   envDefault:"tracecontext,baggage"  help:"what carries a trace between services, comma-separated: tracecontext, baggage or none"`
	ServiceName    string   `env:"OTEL_SERVICE_NAME"                                                     help:"name of the service in traces; empty: that of the binary"`
	Attributes     string   `env:"OTEL_RESOURCE_ATTRIBUTES"                                              help:"more about the process for traces: name=value, comma-separated"`
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
		fail(e[1] == "" || good, "%s: must be a URL such as http://collector:4318", e[0])
	}
	_, err := c.sampler()
	fail(err == nil, "%w", err)
	_, err = c.propagator()
	fail(err == nil, "%w", err)
	_, err = c.attributes()
	fail(err == nil, "%w", err)
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

func (c Config) sampler() (sdk.Sampler, error) {
	share := 1.0
	name, byParent := strings.CutPrefix(cmp.Or(c.Sampler, "parentbased_always_on"), "parentbased_")
	if name == "traceidratio" && c.SamplerArg != "" {
		var err error
		if share, err = strconv.ParseFloat(c.SamplerArg, 64); err != nil || !(share >= 0 && share <= 1) {
			return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG: must be from 0 to 1, not %q", c.SamplerArg)
		}
	}
	var root sdk.Sampler
	switch name {
	case "always_on":
		root = sdk.AlwaysSample()
	case "always_off":
		root = sdk.NeverSample()
	case "traceidratio":
		root = sdk.TraceIDRatioBased(share)
	default:
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER: there is no sampler %q", c.Sampler)
	}
	if byParent {
		return sdk.ParentBased(root), nil
	}
	return root, nil
}

func (c Config) propagator() (propagation.TextMapPropagator, error) {
	var all []propagation.TextMapPropagator
	for _, name := range c.Propagators {
		switch strings.TrimSpace(name) {
		case "tracecontext":
			all = append(all, propagation.TraceContext{})
		case "baggage":
			all = append(all, propagation.Baggage{})
		case "none":
		default:
			return nil, fmt.Errorf("OTEL_PROPAGATORS: must be tracecontext, baggage or none, not %q", name)
		}
	}
	return propagation.NewCompositeTextMapPropagator(all...), nil
}

// attributes are those of the process. Values are percent-encoded.
func (c Config) attributes() ([]attribute.KeyValue, error) {
	var all []attribute.KeyValue
	for pair := range strings.SplitSeq(c.Attributes, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %q is not name=value", pair)
		}
		all = append(all, attribute.String(name, text))
	}
	return all, nil
}
