package pg

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says where the database is.
type Config struct {
	URL            string        `env:"HUB_DATABASE_URL"             secret:"true"      first:"true" help:"PostgreSQL, as a URL or in key=value form; target_session_attrs=read-write with several hosts"`
	MaxConns       int32         `env:"HUB_DATABASE_MAX_CONNS"       envDefault:"10"    help:"largest number of database connections for the calls of this process, from 1 to 1000; slow kinds of lists get half of them, and readiness has one more"`
	AcquireTimeout time.Duration `env:"HUB_DATABASE_ACQUIRE_TIMEOUT" envDefault:"500ms" help:"longest wait of a call for a database connection, and before that of a slow kind of list for its turn, more than 0; calls do not queue behind a database that is away"`
	SlowQuery      time.Duration `env:"HUB_DATABASE_SLOW_QUERY"      envDefault:"500ms" help:"time from which a database statement is logged as slow, 3 times in 10s at most; 0 logs none"`
}

// Validate checks the settings without connecting.
func (c Config) Validate() error {
	_, err := c.pool()
	return err
}

// Budgets of the connection pool.
const (
	// checkTimeout ends the check of an idle connection; it leaves room to try another one.
	checkTimeout = 200 * time.Millisecond
	// connectTimeout ends a connection attempt that goes on in the background.
	connectTimeout = 2 * time.Second
)

// reason is why a URL cannot be read, in the driver's words, which hide the password, without those of
// package strconv.
func reason(err error) string {
	if number := new(strconv.NumError); errors.As(err, &number) {
		return strings.TrimSuffix(err.Error(), " ("+number.Error()+")")
	}
	return err.Error()
}

// pool is the configuration of the connection pool.
func (c Config) pool() (*pgxpool.Config, error) {
	var faults []error
	if c.MaxConns < 1 || c.MaxConns > 1000 {
		faults = append(faults, fmt.Errorf("HUB_DATABASE_MAX_CONNS: must be from 1 to 1000, not %d", c.MaxConns))
	}
	if c.AcquireTimeout <= 0 {
		faults = append(faults, fmt.Errorf("HUB_DATABASE_ACQUIRE_TIMEOUT: must be more than 0, not %s", c.AcquireTimeout))
	}
	if c.SlowQuery < 0 {
		faults = append(faults, fmt.Errorf("HUB_DATABASE_SLOW_QUERY: must be at least 0, not %s", c.SlowQuery))
	}
	if c.URL == "" {
		return nil, errors.Join(append(faults, errors.New("HUB_DATABASE_URL: must not be empty"))...)
	}
	pool, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		faults = append(faults, fmt.Errorf("HUB_DATABASE_URL: %s", reason(err)))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	pool.MaxConns = c.MaxConns
	pool.PingTimeout = checkTimeout
	if pool.ConnConfig.ConnectTimeout == 0 {
		pool.ConnConfig.ConnectTimeout = connectTimeout
	}
	pool.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	pool.AfterConnect = greet
	return pool, nil
}

// heavy is the number of heavy calls at a time: half of the connections, but one at least.
func (c Config) heavy() int { return max(1, int(c.MaxConns/2)) }
