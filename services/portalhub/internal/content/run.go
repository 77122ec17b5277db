package content

import (
	"context"
	"time"
)

const (
	// perBatch is how many articles are sanitised again at once; they take some 5 MiB at most.
	perBatch = 20
	// again is when a pass is repeated that has failed.
	again = time.Minute
)

// Run sanitises the articles again that an older policy has sanitised, in batches until there are none, and waits for
// the end of ctx. Several replicas may do so at the same time: each article is replaced once. It goes on while
// the database is away, and returns nil. Until the pass reaches an article, readers get it sanitised all the same.
func (s *Service) Run(ctx context.Context) error {
	for {
		count, err := s.sanitiseAgain(ctx)
		if count > 0 {
			s.logger.InfoContext(ctx, "articles were sanitised again", "articles", count, "policy", Policy)
		}
		if err == nil {
			<-ctx.Done()
			return nil
		}
		if ctx.Err() == nil {
			s.logger.WarnContext(ctx, "articles cannot be sanitised again yet", "cause", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

// sanitiseAgain tells how many articles it has gone through.
func (s *Service) sanitiseAgain(ctx context.Context) (count int, err error) {
	for {
		articles, err := s.store.ListOutdated(ctx, Policy, perBatch)
		if err != nil || len(articles) == 0 {
			return count, err
		}
		for _, a := range articles {
			p := ReplaceParams{ID: a.ID, Version: a.Version, HTML: Sanitise(a.HTML), Policy: Policy}
			if err := s.store.ReplaceHTML(ctx, p); err != nil {
				return count, err
			}
			count++
		}
	}
}
