package grpcserver_test

import (
	"context"
	"net"
	"testing"
	"time"

	"example.com/hub/pkg/grpcserver"
)

// TestPartThatIsStoppedBeforeItServes ends in order, as when a process is stopped in its first instant.
func TestPartThatIsStoppedBeforeItServes(t *testing.T) {
	o, _ := options()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	part := grpcserver.Part(grpcserver.New(o), l, time.Minute)
	if err := part.Stop(context.Background()); err != nil {
		t.Errorf("stop: %v", err)
	}
	if err := part.Run(); err != nil {
		t.Errorf("run: %v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}
