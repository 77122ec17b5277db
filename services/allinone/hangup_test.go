package allinone_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/metadata"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/allinone"
)

// TestEveryReadRecordHadItsEvent marks messages as read by callers who hang up at random moments. Some are
// gone before the record is switched; whose is switched, that one's user must hear of it.
func TestEveryReadRecordHadItsEvent(t *testing.T) {
	const messages, callers = 600, 8
	hub := start(t)
	access := token(t, hub, "erp")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+access)
	client := messagev1.NewMessageServiceClient(dial(t, hub))
	var pushes errgroup.Group
	pushes.SetLimit(callers)
	for i := range messages + 1 {
		pushes.Go(func() error {
			_, err := client.PushMessage(ctx, &messagev1.PushMessageRequest{
				SourceMessageId: fmt.Sprint("m-", i), Title: "t", Content: "c", Category: "c", TargetUsernames: []string{"ann"},
			})
			return err
		})
	}
	if err := pushes.Wait(); err != nil {
		t.Fatal(err)
	}
	events := readEvents(t, hub, access)

	markRead := func(ctx context.Context, i int) error {
		url := fmt.Sprintf("%s/message-hub/messages/m-%d/read?username=ann", hub.URL(), i)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+access)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	begin := time.Now()
	if err := markRead(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	patience := 2 * callers * time.Since(begin)
	var calls errgroup.Group
	calls.SetLimit(callers)
	for i := range messages {
		calls.Go(func() error {
			ctx, cancel := context.WithTimeout(t.Context(), rand.N(patience))
			defer cancel()
			_ = markRead(ctx, i) // most hang up
			return nil
		})
	}
	_ = calls.Wait() // always nil

	heard := map[string]bool{}
	read := inboxRead(t, hub, access)
	late := time.After(30 * time.Second)
	for n, id := range read {
		for !heard[id] {
			select {
			case next := <-events:
				heard[next] = true
			case <-late:
				t.Fatalf("%s and perhaps more of %d read records had no event; %d had", id, len(read), n)
			}
		}
	}
	t.Logf("%d of %d were read by callers who waited up to %v", len(read), messages, patience)
}

// readEvents opens the stream of ann and gives the ids of its read events.
func readEvents(t *testing.T, hub *allinone.Hub, access string) <-chan string {
	t.Helper()
	lines := bufio.NewReader(get(t, hub.URL()+"/message-hub/stream?user=ann", access).Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ids := make(chan string, 2000)
	go func() {
		var kind string
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch {
			case name == "event":
				kind = value
			case name == "id" && kind == "read":
				ids <- value
			}
		}
	}()
	return ids
}

// inboxRead gives the message ids of the READ records of ann.
func inboxRead(t *testing.T, hub *allinone.Hub, access string) []string {
	t.Helper()
	var ids []string
	for page := 0; ; page++ {
		resp := get(t, fmt.Sprintf("%s/message-hub/inbox?username=ann&status=READ&sort=id,asc&size=200&page=%d", hub.URL(), page), access)
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Data []struct{ SourceMessageID string }
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(list.Data) == 0 {
			return ids
		}
		for _, r := range list.Data {
			ids = append(ids, r.SourceMessageID)
		}
	}
}
