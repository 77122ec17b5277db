package catchup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/services/edge/internal/catchup"
)

func TestRefusalIsAnErrorInTheLogAndInTheStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		lines := func(level string) int {
			synctest.Wait()
			return strings.Count(written.String(), "level="+level)
		}
		log := &rows{err: errors.New("away")}
		f, err := catchup.New(catchup.Deps{Bus: &line{}, Log: log, Recent: window, Logger: slog.New(slog.NewTextHandler(&written, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Subscribe((&diary{}).handler())()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()

		pass(time.Minute)
		if f.Stats().Refused || lines("ERROR") != 0 || lines("WARN") != 1 {
			t.Errorf("a log that is away: %+v\n%s", f.Stats(), &written)
		}
		log.set(func(r *rows) { r.err = fmt.Errorf("%w: wrong key", catchup.ErrRefused) })
		pass(time.Minute)
		if s := f.Stats(); !s.Refused || s.Whole || lines("ERROR") != 1 || !strings.Contains(written.String(), "HUB_INTERNAL_KEY_FILE") {
			t.Errorf("a log that is refused: %+v\n%s", s, &written)
		}
		log.set(func(r *rows) { r.err = nil })
		pass(time.Minute)
		if s := f.Stats(); s.Refused || !s.Whole || lines("INFO") != 1 {
			t.Errorf("a log that answers: %+v\n%s", s, &written)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
