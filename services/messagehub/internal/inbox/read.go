package inbox

import "context"

// CountUnread answers how many records of the user are Unread. Faults: Invalid.
func (s *Service) CountUnread(ctx context.Context, r CountUnreadRequest) (int64, error) {
	p, err := r.params()
	if err != nil {
		return 0, err
	}
	return s.store.CountUnread(ctx, p)
}

// NewestID answers the id of the user's newest record, or "" for a user without records. Faults:
// Invalid.
func (s *Service) NewestID(ctx context.Context, r NewestIDRequest) (string, error) {
	p, err := r.params()
	if err != nil {
		return "", err
	}
	return s.store.NewestID(ctx, p)
}
