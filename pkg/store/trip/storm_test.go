package trip_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/store/trip"
)

// TestAStorm has calls of few keys at any time, of which some leave, and statements of which some fail.
func TestAStorm(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) { storm(t, seed) })
	}
}

// order is a call, whose number is that of its arrival.
type order struct {
	number int
	keys   []byte
}

// sea checks that of each key one call is under way at a time, and that they begin in the order in which they
// came.
type sea struct {
	t      *testing.T
	random *rand.Rand

	mu     sync.Mutex
	under  int
	busy   map[byte]bool
	latest map[byte]int
	begun  map[int]bool
	made   map[int]int
}

const seaTrips = 3

// sail runs a statement, and tells which of its calls are made; the others are to be made alone.
func (s *sea) sail(all []order) (made []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.begun[all[0].number]
	if s.under++; s.under > seaTrips && !again {
		s.t.Errorf("%d statements are under way", s.under)
	}
	for _, o := range all {
		for _, key := range o.keys {
			if s.busy[key] {
				s.t.Errorf("two calls of %c are under way", key)
			}
			if !again && s.latest[key] > o.number {
				s.t.Errorf("%d of %c comes after %d", o.number, key, s.latest[key])
			}
			s.busy[key], s.latest[key] = true, max(s.latest[key], o.number)
		}
		s.begun[o.number] = true
	}
	took := time.Duration(1+s.random.IntN(10)) * time.Millisecond
	if again {
		s.under--
	}
	s.mu.Unlock()
	<-time.After(took)
	s.mu.Lock()
	if !again {
		s.under--
	}
	for _, o := range all {
		for _, key := range o.keys {
			s.busy[key] = false
		}
		alone := len(all) > 1 && s.random.IntN(5) == 0
		if !alone {
			s.made[o.number]++
		}
		made = append(made, !alone)
	}
	return made
}

func storm(t *testing.T, seed uint64) {
	s := &sea{
		t: t, random: rand.New(rand.NewPCG(seed, 0)),
		busy: map[byte]bool{}, latest: map[byte]int{}, begun: map[int]bool{}, made: map[int]int{},
	}
	group := trip.New[byte](trip.Config[order, int]{
		Trips: seaTrips, Patience: time.Hour, SeeThrough: seed%2 == 0,
		One: func(_ context.Context, o order, _ bool) (int, error) {
			s.sail([]order{o})
			return o.number, nil
		},
		Many: func(_ context.Context, all []order) ([]trip.Outcome[int], error) {
			outcomes := make([]trip.Outcome[int], len(all))
			for i, made := range s.sail(all) {
				if outcomes[i].Result = all[i].number; !made {
					outcomes[i].Err = trip.Alone{}
				}
			}
			return outcomes, nil
		},
	})
	var calls sync.WaitGroup
	plan := rand.New(rand.NewPCG(seed, 1))
	for n := range 300 {
		o := order{number: n}
		for key := byte('a'); key < 'a'+10; key++ {
			if plan.IntN(8) == 0 {
				o.keys = append(o.keys, key)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(plan.IntN(200))*time.Millisecond)
		if plan.IntN(2) == 0 {
			ctx = t.Context()
		}
		calls.Go(func() {
			defer cancel()
			got, err := group.Do(ctx, o, o.keys...)
			s.mu.Lock()
			defer s.mu.Unlock()
			switch made := s.made[o.number]; {
			case err == nil && (got != o.number || made != 1):
				t.Errorf("call %d was made %d times, and answered as %d", o.number, made, got)
			case err != nil && !errors.Is(err, context.DeadlineExceeded), made > 1:
				t.Errorf("call %d was made %d times: %v", o.number, made, err)
			case err != nil && made == 1 && seed%2 == 0:
				t.Errorf("call %d was made, and its caller not told", o.number)
			}
		})
		synctest.Wait()
		if plan.IntN(10) == 0 {
			<-time.After(time.Millisecond)
		}
	}
	calls.Wait()
	group.Close()
}
