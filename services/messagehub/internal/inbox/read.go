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

// CountUnreadBatch answers how many records of each user are Unread, in the order of the request. Faults:
// Invalid.
func (s *Service) CountUnreadBatch(ctx context.Context, r CountUnreadBatchRequest) ([]int64, error) {
	p, err := r.params()
	if err != nil {
		return nil, err
	}
	return s.store.CountUnreadBatch(ctx, p)
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
