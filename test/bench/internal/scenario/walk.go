package scenario

import (
	"errors"
	"fmt"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/report"
)

// walks measures scenario 16: pages by a cursor, deep and beside pages by their number.
func (in reader) walks() ([]report.Row, error) {
	depth := in.deepOffset()
	behind, err := in.cursor("large", depth)
	if err != nil {
		return nil, err
	}
	const first = "first page by a cursor, against the one by its number with its total, of %d records"
	deep := report.Row{
		ID: "16a", Scenario: fmt.Sprintf("page by a cursor behind %d of %d records, against the first by a cursor", depth, in.sizes.large),
		Unit: "ms", Target: report.RatioAtMost(1.2), Note: "the whole call",
	}
	long := report.Row{
		ID: "16b", Scenario: fmt.Sprintf(first, in.sizes.medium), Unit: "ms", Target: report.RatioAtMost(0.91), Note: "the whole call",
	}
	short := report.Row{
		ID: "16c", Scenario: fmt.Sprintf(first, in.sizes.small), Unit: "ms", Target: report.RatioAtMost(1.2), Note: "the whole call",
	}
	for range in.env.Rounds {
		took, err := measure.Interleave(in.env.size(200, 5),
			measure.Timed(func() error { return in.walk("large", behind) }),
			measure.Timed(func() error { return in.walk("large", "") }),
			measure.Timed(func() error { return in.walk("medium", "") }),
			measure.Timed(func() error { return in.list("medium", in.sizes.medium, 0) }),
			measure.Timed(func() error { return in.walk("small", "") }),
			measure.Timed(func() error { return in.list("small", in.sizes.small, 0) }),
		)
		if err != nil {
			return nil, err
		}
		for i, row := range []*report.Row{&deep, &long, &short} {
			row.Hub, row.Baseline = append(row.Hub, took[2*i]), append(row.Baseline, took[2*i+1])
		}
	}
	return []report.Row{deep, long, short}, nil
}

// cursor gives the cursor behind so many records of a user.
func (in reader) cursor(user string, depth int) (token string, err error) {
	size := int64(200)
	for n := 0; n < depth; n += int(size) {
		answer, err := in.hub.ListInbox(in.calls, &messagev1.ListInboxRequest{Username: &user, Size: &size, PageToken: &token})
		if err != nil {
			return "", err
		}
		if token = answer.GetNextPageToken(); token == "" {
			return "", errors.New("the list ends in front of the place")
		}
	}
	return token, nil
}

// walk reads the page at a cursor of a user who has more records behind it.
func (in reader) walk(user, token string) error {
	answer, err := in.hub.ListInbox(in.calls, &messagev1.ListInboxRequest{Username: &user, PageToken: &token})
	if err == nil && (len(answer.GetMessages()) != 20 || answer.GetNextPageToken() == "") {
		return fmt.Errorf("the page of %s has %d records", user, len(answer.GetMessages()))
	}
	return err
}
