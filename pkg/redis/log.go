package redis

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// clientLog takes the lines of go-redis, which tell of each attempt that failed. The level is debug: Hub itself
// says once that Redis is away, and once that it is back.
type clientLog struct{ logger *slog.Logger }

// Printf implements the logger of go-redis.
func (l clientLog) Printf(ctx context.Context, format string, args ...any) {
	if l.logger.Enabled(ctx, slog.LevelDebug) {
		l.logger.DebugContext(ctx, "redis client", "message", fmt.Sprintf(format, args...))
	}
}

// logTo replaces the logger of go-redis, which has one for the process and writes plain text to standard
// error by default.
func logTo(logger *slog.Logger) { redis.SetLogger(clientLog{logger}) }
