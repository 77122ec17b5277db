package edge

import (
	"errors"
	"fmt"
	"time"

	// Containers have no zone files of their own.
	_ "time/tzdata"

	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/internal/eventcenter"
	"example.com/hub/services/edge/internal/forwarded"
	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/rest/file"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/ticket"
)

// Config are the settings of an edge, apart from its addresses.
type Config struct {
	ErrorStatus    int           `env:"HUB_ERROR_STATUS" envDefault:"0" help:"200 answers every failure but 401 and 403 with status 200; 0 gives each its own status"`
	TimeZone       string        `env:"HUB_TIME_ZONE" envDefault:"UTC" help:"IANA name of the zone of createTime and modifyTime"`
	MaxBody        int64         `env:"HUB_MAX_BODY" envDefault:"4194304" help:"largest request body in bytes, at least 1024"`
	MaxBodyMemory  int64         `env:"HUB_MAX_BODY_MEMORY" envDefault:"134217728" help:"most memory of request bodies under way in bytes, at least 4 times HUB_MAX_BODY; further ones wait"`
	MaxListMemory  int64         `env:"HUB_MAX_LIST_MEMORY" envDefault:"268435456" help:"most memory of list answers under way in bytes, at least 262144 (256 KiB) for each entry of HUB_MAX_PAGE_SIZE; further ones wait"`
	CallTimeout    time.Duration `env:"HUB_CALL_TIMEOUT" envDefault:"5s" help:"longest call to a hub, more than 0; a push gets 1ms more per target"`
	BodyTimeout    time.Duration `env:"HUB_BODY_TIMEOUT" envDefault:"10s" help:"longest time for a request body to arrive, more than 0"`
	AnswerTimeout  time.Duration `env:"HUB_ANSWER_TIMEOUT" envDefault:"1m" help:"longest time from a request to the end of its answer, streams excepted, more than 0"`
	Heartbeat      time.Duration `env:"HUB_HEARTBEAT_INTERVAL" envDefault:"15s" help:"interval of the heartbeats of streams and the pings of sockets, more than 0"`
	MaxStreams     int           `env:"HUB_MAX_STREAMS" envDefault:"100000" help:"open streams per edge, at least 1; more are told to come back later"`
	MaxReplaced    int           `env:"HUB_MAX_STREAM_REPLACEMENTS" envDefault:"0" help:"how often a user's stream may be replaced within two minutes before new connections are told to come back later, 1 to 5; 0 is no limit"`
	MaxSockets     int           `env:"HUB_MAX_SOCKETS" envDefault:"20000" help:"open WebSockets per edge, at least 1; more are refused with 503"`
	SocketsPerUser int           `env:"HUB_SOCKETS_PER_USER" envDefault:"5" help:"open WebSockets per user and edge, at least 1; one more ends the oldest"`
	DrainSpread    time.Duration `env:"HUB_DRAIN_SPREAD" envDefault:"0s" help:"time over which a stopping edge closes its streams and sockets, 0 or more"`
	ResumeWindow   time.Duration `env:"HUB_RESUME_WINDOW" envDefault:"1m" help:"time for which events are kept for clients that come back with a Last-Event-ID, 1s to 9m"`
	ResumeMemory   int           `env:"HUB_RESUME_MEMORY" envDefault:"67108864" help:"most memory for these events in bytes, 1048576 (1 MiB) to 1073741824 (1 GiB)"`
	TrustedProxies []string      `env:"HUB_TRUSTED_PROXIES" help:"comma-separated networks, such as 10.0.0.0/8, and addresses of the proxies in front whose X-Forwarded-For or Forwarded tells a caller's address; empty: the address of the connection is the caller's"`
	CloseAtExpiry  bool          `env:"HUB_STREAM_CLOSE_AT_TOKEN_EXPIRY" envDefault:"false" help:"whether a client's stream or socket ends when the token expires with which it was asked for; those of users always do"`

	field.PageConfig
	Issuer      issuer.Config      `group:"Tokens"`
	Forwarder   forwarder.Config   `group:"Tokens"`
	Browser     BrowserConfig      `group:"Users in browsers"`
	Users       UserConfig         `group:"Users"`
	Tickets     ticket.Config      `group:"Jumps into apps"`
	Files       file.Config        `group:"Files"`
	EventCenter eventcenter.Config `group:"Event center"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(c.ErrorStatus == 0 || c.ErrorStatus == 200, "HUB_ERROR_STATUS: must be 0 or 200, not %d", c.ErrorStatus)
	_, err := time.LoadLocation(c.TimeZone)
	check(err == nil, "HUB_TIME_ZONE: must be an IANA name such as UTC or Europe/Berlin, not %q", c.TimeZone)
	check(c.MaxBody >= 1024, "HUB_MAX_BODY: must be at least 1024 bytes, not %d", c.MaxBody)
	check(c.MaxBodyMemory/front.BodyWeight >= c.MaxBody, "HUB_MAX_BODY_MEMORY: must be at least %d bytes for each of HUB_MAX_BODY, not %d", front.BodyWeight, c.MaxBodyMemory)
	faults = append(faults, c.PageConfig.Validate())
	check(c.MaxListMemory >= c.MaxPageSize*message.MaxRecord, "HUB_MAX_LIST_MEMORY: must be at least 262144 bytes for each entry of HUB_MAX_PAGE_SIZE, which is %d, not %d", c.MaxPageSize*message.MaxRecord, c.MaxListMemory)
	check(c.CallTimeout > 0, "HUB_CALL_TIMEOUT: must be more than 0, not %s", c.CallTimeout)
	check(c.BodyTimeout > 0, "HUB_BODY_TIMEOUT: must be more than 0, not %s", c.BodyTimeout)
	check(c.AnswerTimeout > 0, "HUB_ANSWER_TIMEOUT: must be more than 0, not %s", c.AnswerTimeout)
	check(c.Heartbeat > 0, "HUB_HEARTBEAT_INTERVAL: must be more than 0, not %s", c.Heartbeat)
	check(c.MaxStreams >= 1, "HUB_MAX_STREAMS: must be at least 1, not %d", c.MaxStreams)
	check(c.MaxReplaced >= 0 && c.MaxReplaced <= 5, "HUB_MAX_STREAM_REPLACEMENTS: must be from 0 to 5, not %d", c.MaxReplaced)
	check(c.MaxSockets >= 1, "HUB_MAX_SOCKETS: must be at least 1, not %d", c.MaxSockets)
	check(c.SocketsPerUser >= 1, "HUB_SOCKETS_PER_USER: must be at least 1, not %d", c.SocketsPerUser)
	check(c.DrainSpread >= 0, "HUB_DRAIN_SPREAD: must be at least 0, not %s", c.DrainSpread)
	check(c.ResumeWindow >= time.Second && c.ResumeWindow <= 9*time.Minute, "HUB_RESUME_WINDOW: must be from 1s to 9m, not %s", c.ResumeWindow)
	check(c.ResumeMemory >= 1<<20 && c.ResumeMemory <= 1<<30, "HUB_RESUME_MEMORY: must be from 1048576 to 1073741824 bytes, not %d", c.ResumeMemory)
	_, err = c.proxies()
	return errors.Join(append(faults, err)...)
}

// proxies are those that tell the address of a caller.
func (c Config) proxies() (forwarded.Proxies, error) {
	p, err := forwarded.Parse(c.TrustedProxies)
	if err != nil {
		return p, fmt.Errorf("HUB_TRUSTED_PROXIES: %w", err)
	}
	return p, nil
}

// maxWhole is more bytes than the largest answer of a hub takes that is no page: all apps.
const maxWhole = 9 << 20

// MaxReceive is the largest answer of a hub in bytes, for the receive limit of the connections: the
// largest page of the largest records, or what has no pages.
func (c Config) MaxReceive() int { return max(int(c.MaxPageSize)*message.MaxRecord, maxWhole) }
