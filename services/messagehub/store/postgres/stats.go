package postgres

import "example.com/hub/pkg/pgcall"

// Stats reads the state of the connection pool.
func (s *Store) Stats() pgcall.PoolStats {
	pool := s.pool.Stat()
	return pgcall.PoolStats{
		InUse:    int(pool.AcquiredConns()),
		Idle:     int(pool.IdleConns()),
		Max:      int(pool.MaxConns()),
		Waits:    uint64(pool.EmptyAcquireCount()),
		WaitTime: pool.EmptyAcquireWaitTime(),
		Timeouts: s.timeouts.Load(),
	}
}
