package chaos

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// nameServer is a DNS server on loopback. It answers every question with the same addresses, or that
// there is no such name when there are none, as a cluster does for replicas that are not ready.
type nameServer struct {
	conn    net.PacketConn
	hosts   func() []netip.Addr
	serving sync.WaitGroup
	// asked counts the questions.
	asked atomic.Int64
}

func newNameServer(ctx context.Context, hosts func() []netip.Addr) (*nameServer, error) {
	conn, err := new(net.ListenConfig).ListenPacket(ctx, "udp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("DNS server: %w", err)
	}
	s := &nameServer{conn: conn, hosts: hosts}
	s.serving.Go(s.serve)
	return s, nil
}

// target is a gRPC target that is looked up here.
func (s *nameServer) target(name, port string) string {
	return fmt.Sprintf("dns://%s/%s:%s", s.conn.LocalAddr(), name, port)
}

func (s *nameServer) stop() {
	_ = s.conn.Close()
	s.serving.Wait()
}

func (s *nameServer) serve() {
	question := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(question)
		if err != nil {
			return
		}
		if answer := s.answer(question[:n]); answer != nil {
			_, _ = s.conn.WriteTo(answer, from)
			s.asked.Add(1)
		}
	}
}

// Parts of a message, RFC 1035 section 4.
const (
	dnsHeader   = 12
	dnsResponse = 0x8180 // recursion was asked for and is available
	dnsNoName   = 3
	dnsHost     = 1 // the type of an IPv4 address
	dnsInternet = 1
	dnsName     = 0xc000 | dnsHeader // the name in the question
)

// answer gives the response to a question, and nil to what is none.
func (s *nameServer) answer(question []byte) []byte {
	end := dnsHeader
	for end < len(question) && question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the end of the name, the type and the class
	if end > len(question) {
		return nil
	}
	var hosts []netip.Addr
	flags := uint16(dnsResponse | dnsNoName)
	if known := s.hosts(); len(known) > 0 {
		flags = dnsResponse
		if binary.BigEndian.Uint16(question[end-4:]) == dnsHost {
			hosts = known
		}
	}
	answer := append([]byte(nil), question[:2]...)
	for _, n := range []uint16{flags, 1, uint16(len(hosts)), 0, 0} {
		answer = binary.BigEndian.AppendUint16(answer, n)
	}
	answer = append(answer, question[dnsHeader:end]...)
	for _, host := range hosts {
		for _, n := range []uint16{dnsName, dnsHost, dnsInternet, 0, 5, 4} { // 5 s to live, 4 bytes
			answer = binary.BigEndian.AppendUint16(answer, n)
		}
		answer = append(answer, host.AsSlice()...)
	}
	return answer
}
