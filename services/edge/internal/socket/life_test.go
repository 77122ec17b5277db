package socket_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/topic"
)

// sessions are those that a test says live.
type sessions struct {
	mu    sync.Mutex
	gone  map[string]bool
	ended map[string]bool
	watch func(user, session string)
}

func (s *sessions) Lives(_ context.Context, session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.gone[session]
}

func (s *sessions) Ended(session string) bool { return s.ended[session] }

func (s *sessions) Watch(ended func(user, session string)) { s.watch = ended }

func ours([]string) bool { return true }

// inSession is a user with a cookie.
func inSession(user, session string) auth.Principal {
	return auth.Principal{User: user, Session: session, Expires: time.Now().Add(24 * time.Hour)}
}

func TestTheOldestOfTooManySocketsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{PerUser: 2})
		first, second, other := e.open(t, "amy"), e.open(t, "amy"), e.open(t, "ben")
		third := e.open(t, "amy")
		first.wantClose(t, 4001)
		fourth := e.open(t, "amy")
		second.wantClose(t, 4001)
		third.wantOpen(t)
		fourth.wantOpen(t)
		other.wantOpen(t)
	})
}

func TestAClientThatSpeaksIsSentAway(t *testing.T) {
	for name, frame := range map[string][]byte{
		"text":         {0x81, 0x82, 0, 0, 0, 0, '{', '}'},
		"bytes":        {0x82, 0x80, 0, 0, 0, 0},
		"a beginning":  {0x01, 0x80, 0, 0, 0, 0},
		"a large one":  {0x81, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"what follows": {0x89, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, socket.Deps{})
				c := e.open(t, "amy")
				c.wantUnread(t, 0)
				if _, err := c.Write(frame); err != nil {
					t.Fatal(err)
				}
				pass(time.Minute)
				c.wantClose(t, 1003)
				if s := e.Stats(); s.Open != 0 {
					t.Errorf("stats = %+v", s)
				}
			})
		})
	}
}

func TestTwoUnansweredPingsEndASocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{Heartbeat: 15 * time.Second})
		good, mute := e.open(t, "amy"), e.open(t, "ben")
		pass(time.Hour)
		good.wantOpen(t)
		mute.wantOpen(t)
		if n := mute.pinged(); n != 240 {
			t.Errorf("%d pings in an hour", n)
		}
		close(mute.mute)
		pass(44 * time.Second)
		mute.wantOpen(t)
		pass(time.Second)
		mute.wantClose(t, 0)
		good.wantOpen(t)
	})
}

func TestAClientMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		polite, rude := e.open(t, "amy"), e.open(t, "amy")
		synctest.Wait()
		close(polite.mute)
		polite.send(8, []byte{0x03, 0xe8})
		polite.wantClose(t, 1000)
		_ = rude.Close()
		synctest.Wait()
		if s := e.Stats(); s.Open != 0 {
			t.Errorf("stats = %+v", s)
		}
	})
}

// TestASlowClientIsSentAway reads nothing until the queue of its socket is full.
func TestASlowClientIsSentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		slow := &peer{Conn: e.bare(t, "amy", portal), mute: make(chan struct{})}
		good := e.open(t, "ben")
		synctest.Wait()
		for n := range 100 {
			e.bus.publish(message("amy", fmt.Sprint(n)), message("ben", fmt.Sprint(n)))
			synctest.Wait()
		}
		if got := good.take(); len(got) != 101 {
			t.Errorf("the other got %d messages, want 101", len(got))
		}
		go slow.listen(time.Now())
		if got := slow.take(); len(got) != 65 {
			t.Errorf("it got %d messages, want 64 and the one that it did not take", len(got))
		}
		slow.wantClose(t, 1008)
		good.wantOpen(t)
	})
}

func TestASlowClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		e.bare(t, "amy", portal)
		synctest.Wait()
		for range 100 {
			e.bus.publish(message("amy", "x"))
		}
		pass(5 * time.Second)
		if s := e.Stats(); s.Open != 0 {
			t.Errorf("stats = %+v", s)
		}
	})
}

func TestALogoutEndsTheSocketsOfItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &sessions{}
		e := start(t, socket.Deps{Sessions: known, OwnOrigin: ours})
		one, two := e.openAs(t, "amy", inSession("amy", "1")), e.openAs(t, "amy", inSession("amy", "1"))
		elsewhere, client := e.openAs(t, "amy", inSession("amy", "2")), e.open(t, "amy")
		for _, of := range [][2]string{{"amy", ""}, {"amy", "3"}, {"ben", "1"}} {
			known.watch(of[0], of[1])
		}
		one.wantOpen(t)
		known.watch("amy", "1")
		one.wantClose(t, 4003)
		two.wantClose(t, 4003)
		elsewhere.wantOpen(t)
		client.wantOpen(t)
	})
}

// TestASessionThatEndsWhileItsSocketOpens has the logout between the check of the cookie and the socket.
func TestASessionThatEndsWhileItsSocketOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{Sessions: &sessions{ended: map[string]bool{"1": true}}, OwnOrigin: ours})
		e.openAs(t, "amy", inSession("amy", "1")).wantClose(t, 4003)
	})
}

func TestSessionsOfSocketsAreAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &sessions{gone: map[string]bool{"2": true}}
		e := start(t, socket.Deps{Sessions: known, OwnOrigin: ours})
		amy, ben := e.openAs(t, "amy", inSession("amy", "1")), e.openAs(t, "ben", inSession("ben", "2"))
		pass(4*time.Minute - time.Second)
		ben.wantOpen(t)
		pass(time.Minute + time.Second)
		ben.wantClose(t, 4003)
		amy.wantOpen(t)
	})
}

func TestASocketEndsWithItsToken(t *testing.T) {
	for name, tt := range map[string]struct {
		caller auth.Principal
		close  bool
		ends   bool
	}{
		"of a user":                      {caller: auth.Principal{User: "amy"}, ends: true},
		"of a client":                    {caller: portal},
		"of a client, where that counts": {caller: portal, close: true, ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, socket.Deps{CloseAtExpiry: tt.close})
				tt.caller.Expires = time.Now().Add(time.Minute)
				c := e.openAs(t, "amy", tt.caller)
				pass(time.Minute - 1)
				c.wantOpen(t)
				pass(1)
				if tt.ends {
					c.wantClose(t, 4003)
				} else {
					c.wantOpen(t)
				}
			})
		})
	}
}

func TestShutdownIsSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{DrainSpread: 10 * time.Second})
		var peers []*peer
		for n := range 10 {
			peers = append(peers, e.open(t, fmt.Sprint("user-", n)))
		}
		if err := e.Shutdown(t.Context()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		var ends, want []time.Duration
		for n, p := range peers {
			p.wantClose(t, 1012)
			ends, want = append(ends, p.after), append(want, time.Duration(n)*time.Second)
		}
		if slices.Sort(ends); !slices.Equal(ends, want) {
			t.Errorf("they ended after %v", ends)
		}
	})
}

func TestShutdownSendsSocketsAwayAndRefusesOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		c := e.open(t, "amy")
		synctest.Wait()
		if err := e.Shutdown(t.Context()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		c.wantClose(t, 1012)
		if f := e.Serve(nil, handshake(t, portal), "amy", topic.Inbox); f == nil || f.Status != 503 {
			t.Errorf("a socket after that: %+v", f)
		}
	})
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		for n := range 10 {
			e.bare(t, fmt.Sprint("never reads ", n), portal)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := e.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("shutdown = %v", err)
		}
		if s, d := e.Stats(), time.Since(began); s.Open != 0 || d != time.Second {
			t.Errorf("%d are open after %v", s.Open, d)
		}
	})
}

// TestEveryoneGoesOnWhileClientsStall has the feed tell thousands of things to clients that read nothing.
func TestEveryoneGoesOnWhileClientsStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		var frame []bus.Event
		for n := range 100 {
			e.bare(t, fmt.Sprint("user-", n), portal)
			frame = append(frame, message(fmt.Sprint("user-", n), "x"))
		}
		began := time.Now()
		synctest.Wait()
		for range 200 {
			e.bus.publish(frame...)
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("the feed was held up for %s", d)
		}
	})
}
