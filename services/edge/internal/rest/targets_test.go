package rest_test

import (
	"net/http"
	"testing"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
)

func TestPushNamesItsUsersByNamesOrIDs(t *testing.T) {
	ids := &messagev1.PushMessageRequest{TargetUserIds: []string{"amy", "ben"}}
	for body, want := range map[string]*messagev1.PushMessageRequest{
		`{"targetUserIds":["amy","ben"]}`:                             ids,
		`{"targetUserIds":["amy","ben"],"targetUsernames":null}`:      ids,
		`{"targetUsernames":["carla"],"targetUserIds":["amy","ben"]}`: {TargetUsernames: []string{"carla"}},
		`{"targetUserIds":[1],"targetUsernames":["carla"]}`:           {TargetUsernames: []string{"carla"}},
		`{"targetUserIds":["amy"],"targetUsernames":[]}`:              {},
		`{"targetUserIds":null}`:                                      {},
		`{"targetUserIds":[]}`:                                        {},
		`{}`:                                                          {},
	} {
		f := newFront(t)
		if w := f.send(t, "POST", "/message-hub/messages", body); w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", body, w.Code, w.Body)
		}
		f.wantCall(t, want)
	}
	f := newFront(t)
	for _, ids := range []string{`"amy"`, "1", "{}", `["amy",1]`, "[[]]", "true"} {
		w := f.send(t, "POST", "/message-hub/messages", `{"targetUserIds":`+ids+`}`)
		wantMessage(t, w, http.StatusBadRequest, "targetUserIds must be an array of strings")
	}
	if f.hub.calls != 0 {
		t.Errorf("the hub was called %d times", f.hub.calls)
	}
}
