package todohub

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"example.com/hub/services/todohub/internal/todo"
)

// demoTodo is a todo of the demo. Times are in hours from now; 0 is none.
type demoTodo struct {
	source, id, who, from    string
	kind                     todo.Type
	title, summary, category string
	due                      int
	app                      string
	result, by               string // of one that is finished
	ended                    int
}

// demoTodos are a morning in a company, the last changed last.
var demoTodos = []demoTodo{
	{source: "crm", id: "offer-1188", who: "amy", from: "ben", kind: todo.Handle, title: "Send the offer to Northwind", summary: "Maintenance for three years, 48,000 a year", category: "Offer", result: "sent", by: "amy", ended: -52},
	{source: "erp", id: "po-7288", who: "amy", from: "carla", kind: todo.Handle, title: "Approve purchase order 7288", summary: "12 office chairs, 3,960", category: "Purchase", result: "approved", by: "amy", ended: -27},
	{source: "travel", id: "trip-431", who: "amy", from: "amy", kind: todo.Handle, title: "Complete the expenses of Hamburg", summary: "Two receipts were missing", category: "Travel", result: "completed", by: "amy", ended: -3},
	{source: "hr", id: "policy-31", who: "amy", kind: todo.Review, title: "Guideline for working from home", summary: "What has changed since last year", category: "Guideline", result: "read", by: "amy", ended: -74},
	{source: "it-desk", id: "note-208", who: "amy", kind: todo.Review, title: "How to know a phishing mail", category: "Security", result: "read", by: "amy", ended: -25},

	{source: "hr", id: "policy-35", who: "amy", kind: todo.Review, title: "Fire drill: where we meet", summary: "A page with a plan of the building", category: "Safety"},
	{source: "crm", id: "minutes-96", who: "amy", from: "ben", kind: todo.Review, title: "Minutes of the sales meeting", summary: "Decisions on prices for the next quarter", category: "Minutes", due: 30},
	{source: "quality", id: "report-12", who: "amy", from: "carla", kind: todo.Review, title: "Report on complaints in October", summary: "Fewer than in September; deliveries remain the first reason", category: "Report", due: 96},

	{source: "hr", id: "review-52", who: "amy", from: "carla", kind: todo.Handle, title: "Prepare your yearly talk with Carla", summary: "A form with five questions", category: "Personnel", due: 24 * 6},
	{source: "crm", id: "offer-1201", who: "amy", from: "ben", kind: todo.Handle, title: "Check the offer for Contoso before it is sent", summary: "Discount of 12 %, which is above your limit", category: "Offer", due: 74},
	{source: "erp", id: "invoice-90312", who: "amy", kind: todo.Handle, title: "Invoice 90312 does not match its order", summary: "Invoiced 1,240.00, ordered 1,204.00", category: "Invoice", due: 26},
	{source: "travel", id: "trip-448", who: "amy", from: "ben", kind: todo.Handle, title: "Approve a trip to Rotterdam", summary: "Ben, two nights, 640", category: "Travel", due: 7, app: "travel"},
	{source: "erp", id: "po-7301", who: "amy", from: "carla", kind: todo.Handle, title: "Approve purchase order 7301", summary: "Two laptops for the new colleagues, 3,180", category: "Purchase", due: 4},
	{source: "it-desk", id: "access-77", who: "amy", kind: todo.Handle, title: "Confirm who may see the customer folder", summary: "Asked for each half year", category: "Access", due: -20},

	{source: "it-desk", id: "ticket-5512", who: "ben", from: "amy", kind: todo.Handle, title: "The projector in room 2 stays dark", category: "Ticket", due: 3},
	{source: "erp", id: "po-7299", who: "ben", from: "amy", kind: todo.Handle, title: "Choose one of three offers for the switch", summary: "48 ports, delivery in one week", category: "Purchase", due: 50},
	{source: "quality", id: "audit-4", who: "ben", from: "carla", kind: todo.Review, title: "Findings of the security audit", category: "Report", due: 28},

	{source: "hr", id: "leave-2210", who: "carla", from: "amy", kind: todo.Handle, title: "Approve leave of Amy", summary: "Five days in December", category: "Leave", due: 20},
	{source: "erp", id: "budget-26", who: "carla", kind: todo.Handle, title: "Release the budget of the next quarter", category: "Budget", due: -30},
	{source: "crm", id: "minutes-97", who: "carla", from: "ben", kind: todo.Review, title: "Minutes of the sales meeting", category: "Minutes"},
}

// FillDemo reports todos of the demo users, as business systems would, where amy has none yet. It is for a Hub on a
// desk, and leaves no lines in the log.
func FillDemo(ctx context.Context, d Deps) error {
	d.Logger = slog.New(slog.DiscardHandler)
	s, err := New(d)
	if err != nil {
		return err
	}
	amy, start := "amy", ""
	known, err := s.todos.List(ctx, todo.ListRequest{AssigneeUsername: &amy, AnyStatus: true, Cursor: &start})
	if err != nil || len(known.Items) > 0 {
		return err
	}
	now := time.Now()
	for _, t := range demoTodos {
		if err := s.reportDemo(ctx, t, now); err != nil {
			return fmt.Errorf("fill the demo: %s: %w", t.id, err)
		}
	}
	return nil
}

func (s *Service) reportDemo(ctx context.Context, t demoTodo, now time.Time) error {
	report := todo.Report{
		ID: t.id, Type: t.kind, SourceBizID: t.id, AssigneeUsername: t.who, InitiatorUsername: t.from,
		Title: t.title, Summary: t.summary, Category: t.category, ActionURL: "https://example.com/" + t.source + "/" + t.id,
	}
	if t.due != 0 {
		due := now.Add(time.Duration(t.due) * time.Hour)
		report.DueAt = &due
	}
	if t.app != "" {
		report.ActionAppID, report.ActionURL = t.app, "https://example.com/"+t.app+"/"+t.id
	}
	if _, err := s.todos.Upsert(ctx, t.source, todo.UpsertRequest{Report: report}); err != nil || t.result == "" {
		return err
	}
	ended := now.Add(time.Duration(t.ended) * time.Hour)
	_, err := s.todos.Clear(ctx, t.source, todo.ClearRequest{ID: t.id, Result: t.result, ClearedAt: &ended, ClearedBy: t.by})
	return err
}
