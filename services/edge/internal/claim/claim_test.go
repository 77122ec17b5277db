package claim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/claim"
	"example.com/hub/services/edge/internal/stream"
)

// take claims one user.
func take(t *testing.T, r *claim.Redis, c stream.Claim) stream.Claim {
	t.Helper()
	claims := []stream.Claim{c}
	if err := r.Claim(t.Context(), claims); err != nil {
		t.Fatalf("claim: %v", err)
	}
	return claims[0]
}

func reconcile(t *testing.T, r *claim.Redis, c stream.Claim) stream.Claim {
	t.Helper()
	claims := []stream.Claim{c}
	if err := r.Reconcile(t.Context(), claims); err != nil {
		t.Fatalf("reconcile: %v", err)
	}
	return claims[0]
}

func release(t *testing.T, r *claim.Redis, c stream.Claim) {
	t.Helper()
	if err := r.Release(t.Context(), []stream.Claim{c}); err != nil {
		t.Fatalf("release: %v", err)
	}
}

func TestClaimHasRedisTime(t *testing.T) {
	c := newClient(t, address(t))
	r := newClaims(t, claim.Deps{Client: c})
	before, err := c.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	got := take(t, r, stream.Claim{User: "alice", Stream: 1})
	after, err := c.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	const roundTrip = 500 * time.Millisecond // bounds how well the replica knows Redis's clock
	if got.Time < before.Add(-roundTrip).UnixMicro() || got.Time > after.UnixMicro() {
		t.Errorf("claimed at %d, want from %d to %d", got.Time, before.UnixMicro(), after.UnixMicro())
	}
	if got.User != "alice" || got.Stream != 1 || got.Replaced != 0 {
		t.Errorf("claim = %+v", got)
	}
	old := take(t, r, stream.Claim{User: "bob", Stream: 2, Age: time.Hour})
	if diff := time.Duration(got.Time-old.Time) * time.Microsecond; diff < 59*time.Minute || diff > time.Hour {
		t.Errorf("a stream that is an hour old was claimed %v before, want an hour", diff)
	}
}

func TestTheStreamThatBeganLastWins(t *testing.T) {
	r := newClaims(t, claim.Deps{})
	first := take(t, r, stream.Claim{User: "alice", Stream: 1, Age: 3 * time.Second})
	// The claims of the next two come in the wrong order.
	third := take(t, r, stream.Claim{User: "alice", Stream: 3, Age: time.Second})
	if third.Stream != 3 || third.Time <= first.Time || third.Replaced != 1 {
		t.Errorf("the newer stream got %+v", third)
	}
	if got := take(t, r, stream.Claim{User: "alice", Stream: 2, Age: 2 * time.Second}); got != third {
		t.Errorf("the older stream got %+v, want the newer one's claim %+v", got, third)
	}
	if got := reconcile(t, r, first); got.Stream != 3 || got.Time != third.Time || got.Replaced != 1 {
		t.Errorf("the oldest stream was reconciled with %+v, want %+v", got, third)
	}
}

// TestASlowClaimDoesNotBeatItsSuccessor has a claim that was under way so long that its stream seems
// to have begun after the one that replaced it.
func TestASlowClaimDoesNotBeatItsSuccessor(t *testing.T) {
	r := newClaims(t, claim.Deps{})
	slow := take(t, r, stream.Claim{User: "alice", Stream: 9})
	elsewhere := stream.Claim{User: "alice", Stream: 3, Age: time.Second}
	if got := take(t, r, elsewhere); got != slow {
		t.Errorf("an older stream of another edge got %+v", got)
	}
	got := take(t, r, stream.Claim{User: "alice", Stream: 2, Age: time.Second, After: 9})
	if got.Stream != 2 || got.Time != slow.Time+1 {
		t.Errorf("the successor got %+v, want the time after %d", got, slow.Time)
	}
}

// TestOwnerFromTheFutureGivesWay has an owner that a replica whose clock is ahead put there while
// Redis was away.
func TestOwnerFromTheFutureGivesWay(t *testing.T) {
	r := newClaims(t, claim.Deps{})
	ahead := stream.Claim{User: "alice", Stream: 1, Time: time.Now().Add(10 * time.Minute).UnixMicro()}
	reconcile(t, r, ahead)
	got := take(t, r, stream.Claim{User: "alice", Stream: 2, Age: time.Millisecond})
	if got.Stream != 2 || got.Time != ahead.Time+1 {
		t.Errorf("the newer stream got %+v, want the time after %d", got, ahead.Time)
	}
	if got := reconcile(t, r, ahead); got.Stream != 2 {
		t.Errorf("the owner from the future was reconciled with %+v", got)
	}
}

func TestReconcile(t *testing.T) {
	mine := stream.Claim{User: "alice", Stream: 5, Time: 1_700_000_000_000_005}
	tests := map[string]struct {
		owner *stream.Claim
		want  stream.Claim
	}{
		"nobody holds the user":         {nil, stream.Claim{Stream: 5, Time: mine.Time}},
		"an older stream":               {&stream.Claim{Stream: 9, Time: mine.Time - 1}, stream.Claim{Stream: 5, Time: mine.Time, Replaced: 1}},
		"a newer stream":                {&stream.Claim{Stream: 1, Time: mine.Time + 1}, stream.Claim{Stream: 1, Time: mine.Time + 1}},
		"the same time, lower stream":   {&stream.Claim{Stream: 4, Time: mine.Time}, stream.Claim{Stream: 5, Time: mine.Time, Replaced: 1}},
		"the same time, higher stream":  {&stream.Claim{Stream: 16, Time: mine.Time}, stream.Claim{Stream: 16, Time: mine.Time}},
		"the same stream, another time": {&stream.Claim{Stream: 5, Time: mine.Time + 7}, stream.Claim{Stream: 5, Time: mine.Time + 7}},
		"the same stream, earlier":      {&stream.Claim{Stream: 5, Time: mine.Time - 7}, stream.Claim{Stream: 5, Time: mine.Time - 7}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newClaims(t, claim.Deps{})
			if tt.owner != nil {
				tt.owner.User = "alice"
				reconcile(t, r, *tt.owner)
			}
			tt.want.User = "alice"
			for range 2 {
				if diff := cmp.Diff(tt.want, reconcile(t, r, mine)); diff != "" {
					t.Errorf("reconciled with (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestReleaseOfOwnClaimsOnly(t *testing.T) {
	r := newClaims(t, claim.Deps{})
	first := take(t, r, stream.Claim{User: "alice", Stream: 1, Age: time.Second})
	second := take(t, r, stream.Claim{User: "alice", Stream: 2})
	release(t, r, first)
	if got := reconcile(t, r, first); got.Stream != 2 {
		t.Errorf("alice is held by %+v after a release of the older stream", got)
	}
	release(t, r, second)
	release(t, r, second)
	if got := reconcile(t, r, first); got.Stream != 1 {
		t.Errorf("alice is held by %+v after the release", got)
	}
}

func TestClaimsRunOutUnlessTheyAreRenewed(t *testing.T) {
	c := newClient(t, address(t))
	name := newName()
	r := newClaims(t, claim.Deps{Client: c, Name: name, TTL: 45 * time.Second})
	key := name + ":own:{alice}"
	mine := take(t, r, stream.Claim{User: "alice", Stream: 1})
	remaining := func() time.Duration {
		ttl, err := c.PTTL(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		return ttl
	}
	if ttl := remaining(); ttl <= 44*time.Second || ttl > 45*time.Second {
		t.Errorf("a new claim holds for %v, want 45 s", ttl)
	}
	if err := c.PExpire(t.Context(), key, time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	reconcile(t, r, mine)
	if ttl := remaining(); ttl <= 44*time.Second {
		t.Errorf("a renewed claim holds for %v, want 45 s", ttl)
	}
}

func TestReplacementsAreCountedForTwoMinutes(t *testing.T) {
	r := newClaims(t, claim.Deps{})
	begin := stream.Claim{User: "alice", Stream: 1, Time: time.Now().Add(-5 * time.Minute).UnixMicro()}
	reconcile(t, r, begin)
	var got []int
	for n, after := range []time.Duration{time.Second, time.Minute, 119 * time.Second, 121 * time.Second, 200 * time.Second} {
		c := begin
		c.Stream, c.Time = uint64(2+n), begin.Time+after.Microseconds()
		got = append(got, reconcile(t, r, c).Replaced)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 1, 2}, got); diff != "" {
		t.Errorf("replacements (-want +got):\n%s", diff)
	}
}

func TestUsersOfAnyName(t *testing.T) {
	r := newClaims(t, claim.Deps{})
	heard := make(chan stream.Claim, 100)
	defer r.Subscribe(func(c stream.Claim) { heard <- c })()
	hearing(t, r, heard)
	users := []string{"}", "{", "a}b", "{}", "a|b", "|", "1|2|3|4", "é", "e\u0301", "日本語 👩‍👩‍👧", " ", "%s", "'; DROP"}
	claims := make([]stream.Claim, 0, len(users))
	for i, user := range users {
		claims = append(claims, stream.Claim{User: user, Stream: uint64(i + 1)})
	}
	if err := r.Claim(t.Context(), claims); err != nil {
		t.Fatalf("claim: %v", err)
	}
	for i, c := range claims {
		if c.User != users[i] || c.Stream != uint64(i+1) || c.Replaced != 0 {
			t.Errorf("%q was claimed with %+v", users[i], c)
		}
		if got := <-heard; got != c {
			t.Errorf("heard %+v, want %+v", got, c)
		}
	}
}
