package claim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/claim"
	"example.com/hub/services/edge/internal/stream"
)

// lossy loses a part of the claims that are told.
type lossy struct {
	stream.Claims
	lost float64
}

func (l lossy) Subscribe(newer func(stream.Claim)) (cancel func()) {
	return l.Claims.Subscribe(func(c stream.Claim) {
		if rand.Float64() >= l.lost {
			newer(c)
		}
	})
}

// heartbeat is that of the replicas in these tests.
const heartbeat = 500 * time.Millisecond

// cluster is three replicas that reach Redis over a proxy.
type cluster struct {
	brokers []*stream.Broker
	redis   *proxy
	flush   func()
}

// newCluster makes a cluster. The clock of each replica is off by its skew.
func newCluster(t *testing.T, lost float64, skew [3]time.Duration) *cluster {
	t.Helper()
	c := &cluster{}
	var u *url.URL
	c.redis, u = newProxy(t)
	direct := newClient(t, address(t))
	c.flush = func() {
		if err := direct.FlushDB(context.Background()).Err(); err != nil {
			t.Errorf("flush: %v", err)
		}
	}
	name := newName()
	for _, off := range skew {
		claims := newClaims(t, claim.Deps{Client: newClient(t, u), Name: name, TTL: 3 * heartbeat, Silence: time.Second})
		c.brokers = append(c.brokers, newBroker(t, stream.Deps{
			Claims:    lossy{claims, lost},
			Heartbeat: heartbeat,
			Clock:     func() time.Time { return time.Now().Add(off) },
		}))
	}
	return c
}

// restart does what a restart of a Redis without persistence does.
func (c *cluster) restart(t *testing.T, away time.Duration) {
	c.redis.setDown(true)
	<-time.After(away)
	c.flush()
	direct := newClient(t, address(t))
	if err := direct.ScriptFlush(context.Background()).Err(); err != nil {
		t.Errorf("forget scripts: %v", err)
	}
	c.redis.setDown(false)
}

// race lets each user connect several times to random replicas, and gives the clients of each, the
// newest last. The last ones come a moment later, so that it is certain which are the newest.
func (c *cluster) race(t *testing.T, users, connects int, pause time.Duration) [][]*client {
	all := make([][]*client, users)
	var racing sync.WaitGroup
	for u := range all {
		racing.Go(func() {
			for range connects - 1 {
				all[u] = append(all[u], connect(t, c.any(), fmt.Sprint("user-", u)))
				<-time.After(rand.N(2 * pause))
			}
		})
	}
	racing.Wait()
	<-time.After(time.Second)
	for u := range all {
		all[u] = append(all[u], connect(t, c.any(), fmt.Sprint("user-", u)))
	}
	t.Cleanup(func() {
		for _, clients := range all {
			for _, c := range clients {
				_ = c.conn.Close()
				<-c.ended
			}
		}
	})
	return all
}

func (c *cluster) any() *stream.Broker { return c.brokers[rand.N(len(c.brokers))] }

// settled waits until each user has one stream, which takes two rounds of reconciling, and checks that it is the
// newest.
func settled(t *testing.T, all [][]*client) {
	t.Helper()
	several := func(clients []*client) bool {
		open := 0
		for _, c := range clients {
			if c.open() {
				open++
			}
		}
		return open > 1
	}
	late := time.After(patience)
	for slices.ContainsFunc(all, several) {
		select {
		case <-time.After(heartbeat / 4):
		case <-late:
			t.Fatal("some users still have several streams")
		}
	}
	for u, clients := range all {
		if !clients[len(clients)-1].open() {
			t.Errorf("the newest stream of user %d was closed", u)
		}
	}
}

func TestOneStreamPerUserAlthoughClaimsAreLost(t *testing.T) {
	c := newCluster(t, 0.2, [3]time.Duration{})
	settled(t, c.race(t, 50, 20, 10*time.Millisecond))
}

func TestOneStreamPerUserAlthoughNoClaimIsHeard(t *testing.T) {
	c := newCluster(t, 1, [3]time.Duration{})
	settled(t, c.race(t, 50, 5, 10*time.Millisecond))
}

func TestOneStreamPerUserAlthoughClocksAreWrong(t *testing.T) {
	const off = 10 * time.Minute
	tests := map[string][3]time.Duration{"some behind": {-off, 0, 0}, "some ahead": {off, 0, 0}, "both": {-off, 0, off}}
	for name, skew := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 0.2, skew)
			settled(t, c.race(t, 50, 5, 10*time.Millisecond))
		})
	}
}

func TestOneStreamPerUserAfterRedisForgotAll(t *testing.T) {
	c := newCluster(t, 0.2, [3]time.Duration{})
	var flushing sync.WaitGroup
	done := make(chan struct{})
	flushing.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				c.flush()
			}
		}
	})
	all := c.race(t, 50, 20, 20*time.Millisecond)
	<-time.After(heartbeat / 5) // the claims are made off the path of requests
	close(done)
	flushing.Wait()
	c.flush()
	settled(t, all)
}

func TestOneStreamPerUserAfterRestartsOfRedis(t *testing.T) {
	c := newCluster(t, 0.2, [3]time.Duration{})
	var restarting sync.WaitGroup
	restarting.Go(func() {
		for range 3 {
			<-time.After(100 * time.Millisecond)
			c.restart(t, 200*time.Millisecond)
		}
	})
	all := c.race(t, 50, 20, 40*time.Millisecond)
	restarting.Wait()
	settled(t, all)
}

func TestStreamsOfBothSidesStayWhileRedisIsAway(t *testing.T) {
	c := newCluster(t, 0, [3]time.Duration{})
	c.redis.setDown(true)
	first := connect(t, c.brokers[0], "alice")
	<-time.After(10 * time.Millisecond)
	second := connect(t, c.brokers[1], "alice")
	<-time.After(3 * heartbeat)
	if !first.open() || !second.open() {
		t.Error("a stream was closed although nobody could know of another one")
	}
	c.redis.setDown(false)
	eventually(t, "the older stream is closed", func() bool { return !first.open() })
	if !second.open() {
		t.Error("the newer stream was closed")
	}
	_ = second.conn.Close()
}
