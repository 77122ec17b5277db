package portalhub

import (
	"context"
	"fmt"
	"log/slog"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub/internal/app"
	"example.com/hub/services/portalhub/internal/people"
)

// demoFeed is the client that the directory of a demo comes from.
const demoFeed = "hr"

// FillDemo tells of the demo users, of three departments and of two roles, as a feed would, where nobody is in the
// directory yet, and adds a few apps. Where there are no channels, it adds some with a few articles. It is for a Hub on
// a desk, and leaves no lines in the log.
func FillDemo(ctx context.Context, d Deps) error {
	d.Logger = slog.New(slog.DiscardHandler)
	s, err := New(d)
	if err != nil {
		return err
	}
	known, err := s.people.List(ctx, people.ListRequest{})
	if err == nil && len(known.People) == 0 {
		err = s.fillDirectory(ctx)
	}
	if err != nil {
		return err
	}
	return s.fillContent(ctx)
}

func (s *Service) fillDirectory(ctx context.Context) error {
	for _, d := range []people.DepartmentRequest{
		{ID: "company", Name: "Company"}, {ID: "sales", ParentID: "company", Name: "Sales"}, {ID: "it", ParentID: "company", Name: "IT"},
	} {
		if _, err := s.people.UpsertDepartment(ctx, demoFeed, d); err != nil {
			return fmt.Errorf("fill the demo: %w", err)
		}
	}
	for _, r := range []people.RoleRequest{
		{ID: "staff", Name: "Staff", UserIDs: []string{"u-ben", "u-carla"}}, {ID: "managers", Name: "Managers", UserIDs: []string{"u-carla"}},
	} {
		if _, err := s.people.UpsertRole(ctx, demoFeed, r); err != nil {
			return fmt.Errorf("fill the demo: %w", err)
		}
	}
	if _, err := s.people.UpsertUsers(ctx, demoFeed, []people.Entry{
		{UserID: "u-amy", Username: "amy", Name: "Amy", Email: "amy@hub.example", DeptID: "sales", Active: true},
		{UserID: "u-ben", Username: "ben", Name: "Ben", Email: "ben@hub.example", DeptID: "it", Active: true},
		{UserID: "u-carla", Username: "carla", Name: "Carla", Email: "carla@hub.example", DeptID: "company", Active: true},
	}); err != nil {
		return fmt.Errorf("fill the demo: %w", err)
	}
	return s.fillApps(ctx)
}

// fillApps adds apps for everybody, one for a department and one for a role that learns who comes. Their
// address is the one that is reserved for examples.
func (s *Service) fillApps(ctx context.Context) error {
	for i, a := range []app.CreateRequest{
		{ID: "phone-book", Settings: app.Settings{Name: "Phone book", EntryURL: "https://example.com/phone-book/"}},
		{ID: "travel", Settings: app.Settings{Name: "Travel", EntryURL: "https://example.com/travel/"}},
		{ID: "canteen", Settings: app.Settings{Name: "Canteen", EntryURL: "https://example.com/canteen/"}},
		{ID: "rooms", Settings: app.Settings{Name: "Rooms", EntryURL: "https://example.com/rooms/"}},
		{ID: "it-desk", Settings: app.Settings{Name: "IT desk", EntryURL: "https://example.com/it-desk/"}},
		{ID: "machines", Settings: app.Settings{Name: "Machines", EntryURL: "https://example.com/machines/", VisibleFor: []string{"dept:it"}}},
		{ID: "expenses", Settings: app.Settings{Name: "Expenses", EntryURL: "https://example.com/expenses/", VisibleFor: []string{"role:managers"}, SignOn: app.Ticket}},
	} {
		a.Sort = int64(i)
		if _, err := s.apps.Create(ctx, demoFeed, a); err != nil && fault.KindOf(err) != fault.Conflict {
			return fmt.Errorf("fill the demo: %w", err)
		}
	}
	return nil
}
