package messagehub

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"example.com/hub/services/messagehub/internal/inbox"
)

// demoMessage is a message of the demo.
type demoMessage struct {
	source, id               string
	ago                      time.Duration
	title, content, category string
	label, link              string // of its action; empty is none
	read                     bool
}

// demoMessages are what came in the last days, the oldest first.
var demoMessages = []demoMessage{
	{source: "canteen", id: "menu-46", ago: 100 * time.Hour, title: "The menu of this week", content: "Monday: lentil soup. Tuesday: pasta. Wednesday: curry. Thursday: fish. Friday: you choose.", category: "Canteen", label: "Choose for Friday", link: "https://example.com/canteen/46", read: true},
	{source: "hr", id: "payslip-10", ago: 76 * time.Hour, title: "Your payslip is ready", content: "The payslip of October is in your folder. It stays there for ten years.", category: "Personnel", label: "Open the folder", link: "https://example.com/hr/payslips", read: true},
	{source: "it-desk", id: "ticket-5490", ago: 50 * time.Hour, title: "Your ticket is solved: VPN breaks off", content: "We have replaced the certificate. If it happens again, answer this message with the time.", category: "Ticket", label: "See the ticket", link: "https://example.com/it-desk/5490", read: true},
	{source: "crm", id: "deal-313", ago: 27 * time.Hour, title: "Northwind has signed", content: "The offer 1188 was accepted today. The contract begins on the first of next month.\n\nWell done, everybody.", category: "Sales", label: "See the contract", link: "https://example.com/crm/313"},
	{source: "travel", id: "booking-448", ago: 22 * time.Hour, title: "Your train to Hamburg has another platform", content: "ICE 706, 07:28, now from platform 6. Your seat stays the same: coach 24, seat 61.", category: "Travel", read: true},
	{source: "erp", id: "po-7288-done", ago: 5 * time.Hour, title: "Purchase order 7288 is on its way", content: "12 office chairs come on Thursday between 8 and 12. Somebody must be there to take them.", category: "Purchase", label: "Follow the delivery", link: "https://example.com/erp/7288"},
	{source: "it-desk", id: "maintenance-88", ago: 95 * time.Minute, title: "Maintenance tonight at ten", content: "Mail and files are away from 22:00 to about 22:30. Save your work before.", category: "Maintenance", label: "Details", link: "https://example.com/it-desk/maintenance-88"},
	{source: "hr", id: "welcome-19", ago: 12 * time.Minute, title: "Two new colleagues start on Monday", content: "Say hello to them at nine in the kitchen. There is cake.", category: "Personnel"},
}

// FillDemo sends messages to the demo users, as business systems would, where amy has none yet. It is for a Hub on a
// desk, and leaves no lines in the log.
func FillDemo(ctx context.Context, d Deps) error {
	amy, start := "amy", ""
	messages := inbox.New(inbox.Deps{
		Store: d.Store, Publisher: d.Publisher, Rules: d.Config.rules(), Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	known, err := messages.List(ctx, inbox.ListRequest{Username: &amy, Cursor: &start})
	if err != nil || len(known.Records) > 0 {
		return err
	}
	now := time.Now()
	for _, m := range demoMessages {
		at := now.Add(-m.ago)
		push := inbox.PushRequest{
			SourceMessageID: m.id, TargetUsernames: []string{amy, "ben", "carla"}, OccurredAt: &at,
			Message: inbox.Message{Title: m.title, Content: m.content, Category: m.category},
		}
		if m.label != "" {
			push.Actions = []inbox.Action{{Label: m.label, URL: m.link}}
		}
		if _, err := messages.Push(ctx, m.source, push); err != nil {
			return fmt.Errorf("fill the demo: %s: %w", m.id, err)
		}
		if !m.read {
			continue
		}
		for _, username := range push.TargetUsernames {
			if _, err := messages.MarkRead(ctx, m.source, inbox.MarkReadRequest{SourceMessageID: m.id, Username: username}); err != nil {
				return fmt.Errorf("fill the demo: %s: %w", m.id, err)
			}
		}
	}
	return nil
}
