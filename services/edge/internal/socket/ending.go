package socket

import (
	"encoding/binary"
	"strconv"

	"github.com/coder/websocket"
)

// Ending is how a socket ended.
type Ending int

// How sockets end.
const (
	// gone is a client that closed the socket, or is not there any more.
	gone Ending = iota
	// silent is a client that answered two pings not.
	silent
	// spoke is a client that sent data.
	spoke
	// slow is a client that read too slowly.
	slow
	// uncounted is a socket whose count could not be told for too long.
	uncounted
	// drained is a socket that was open when the edge stopped.
	drained
	// replaced is the oldest socket of a user who opened one more than there may be.
	replaced
	// over is a socket whose session or token is over.
	over
	// Endings is how many ways there are.
	Endings
)

// closings are what clients are told; gone and silent are not told anything.
var closings = [Endings]struct {
	code   websocket.StatusCode // RFC 6455, section 7.4
	reason string
}{
	spoke:     {websocket.StatusUnsupportedData, "nothing is read here"},
	slow:      {websocket.StatusPolicyViolation, "read too slowly"},
	uncounted: {websocket.StatusInternalError, "the count cannot be told"},
	drained:   {websocket.StatusServiceRestart, "come back"},
	replaced:  {4001, "too many sockets of this user"},
	over:      {4003, "the session or token is over"},
}

// String implements fmt.Stringer: the code, or why there was none.
func (e Ending) String() string {
	switch e {
	case gone:
		return "client"
	case silent:
		return "silent"
	default:
		return strconv.Itoa(int(closings[e].code))
	}
}

// ping is the frame of a ping (RFC 6455, section 5.5.2). The library's own waits for the answer.
var ping = []byte{0x89, 0}

// farewell is the frame that closes a socket whose client reads too slowly (RFC 6455, section 5.5.1): the
// library's own would wait behind the others.
var farewell = func() []byte {
	c := closings[slow]
	frame := []byte{0x88, byte(2 + len(c.reason))}
	frame = binary.BigEndian.AppendUint16(frame, uint16(c.code))
	return append(frame, c.reason...)
}()
