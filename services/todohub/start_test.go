package todohub_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/services/todohub"
)

func TestTheStartIsAnnouncedOnceAndAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &bustest.Recorder{}
		go func() { _ = todohub.AnnounceStart(t.Context(), heard) }() // always nil
		<-time.After(time.Second)
		if frames := heard.Take(); len(frames) > 0 {
			t.Errorf("announced at once: %+v", frames)
		}
		<-time.After(time.Minute)
		if frames := heard.Take(); len(frames) != 1 || !frames[0].AnyTodo() {
			t.Errorf("announced %+v", frames)
		}
	})
}

func TestAStopBeforeTheStartIsAnnouncedSaysNothing(t *testing.T) {
	heard := &bustest.Recorder{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := todohub.AnnounceStart(ctx, heard); err != nil || len(heard.Take()) > 0 {
		t.Errorf("it was announced, or failed: %v", err)
	}
}
