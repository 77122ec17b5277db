package log_test

import (
	"fmt"
	"log/slog"
	"math"
	"testing"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry/requestid"
)

func TestSampleTakesItsShareOfRequests(t *testing.T) {
	const n = 20_000
	for name, id := range map[string]func(i int) string{
		"made":     func(int) string { id, _ := requestid.Take(nil); return id },
		"counting": func(i int) string { return fmt.Sprint("request-", i) },
		"short":    func(i int) string { return fmt.Sprint(i) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, share := range []float64{0, 0.001, 0.1, 0.5, 1} {
				taken := 0
				for i := range n {
					ctx := requestid.With(t.Context(), id(i))
					level := log.Sample(share).Level(ctx)
					if level == slog.LevelInfo {
						taken++
					}
					if again := log.Sample(share).Level(ctx); again != level {
						t.Fatalf("%s is %v, then %v", id(i), level, again)
					}
				}
				deviation := 5 * math.Sqrt(n*share*(1-share))
				if math.Abs(float64(taken)-n*share) > deviation {
					t.Errorf("a share of %v takes %d of %d", share, taken, n)
				}
			}
		})
	}
}

// TestSampleIsTheSameEverywhere holds the choice to what other versions of a service make.
func TestSampleIsTheSameEverywhere(t *testing.T) {
	for id, want := range map[string]slog.Level{
		"r-1":                                  slog.LevelInfo,
		"r-2":                                  slog.LevelDebug,
		"r-3":                                  slog.LevelDebug,
		"r-4":                                  slog.LevelDebug,
		"r-5":                                  slog.LevelDebug,
		"5PLQQRO5DUXJ2WFTIZZKMZCEXU":           slog.LevelDebug,
		"f47ac10b-58cc-4372-a567-0e02b2c3d479": slog.LevelInfo,
	} {
		if got := log.Sample(0.5).Level(requestid.With(t.Context(), id)); got != want {
			t.Errorf("%s is %v, want %v", id, got, want)
		}
	}
}

func TestShareIsChecked(t *testing.T) {
	for _, bad := range []string{"-0.1", "1.1", "NaN", "all"} {
		var cfg log.Config
		if err := config.Load(&cfg, []string{"HUB_ACCESS_LOG_SAMPLE=" + bad}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	var cfg log.Config
	if err := config.Load(&cfg, []string{"HUB_ACCESS_LOG_SAMPLE=0.25"}); err != nil || cfg.Access != 0.25 {
		t.Errorf("got %v, %v", cfg.Access, err)
	}
}

func BenchmarkLevel(b *testing.B) {
	ctx := requestid.With(b.Context(), "5PLQQRO5DUXJ2WFTIZZKMZCEXU")
	for _, share := range []log.Sample{0, 0.1} {
		b.Run(fmt.Sprint(float64(share)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				share.Level(ctx)
			}
		})
	}
}
