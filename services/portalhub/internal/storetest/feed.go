package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/content"
)

var feedCases = []testCase{
	{"Feed/the pages of every feed together are the articles in order", testFeed},
	{"Feed/the pages of every list together are the articles in order", testArticleWalk},
	{"Feed/no channels have no articles", testFeedEmpty},
}

// drawArticles stores 90 articles in the channels c0 to c3, with times that often are the same.
func drawArticles(t *testing.T, s portalhub.Store) (all []content.Article) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the draws are to be the same each time
	for n := range 4 {
		createChannel(t, s, newChannel(fmt.Sprint("c", n), 0))
	}
	for n := range 90 {
		p := newArticle(fmt.Sprintf("%08x", random.Uint32()), random.IntN(20))
		p.ChannelID, p.Summary = fmt.Sprint("c", random.IntN(4)), "Summary"
		if random.IntN(2) == 0 {
			p.OccurredAt = moment(random.IntN(20))
		}
		a := createArticle(t, s, p)
		var err error
		if n%4 > 0 {
			a, err = s.PublishArticle(t.Context(), changeOf(a.ID, 1, random.IntN(20)))
		}
		if n%8 == 1 && err == nil {
			a, err = s.UnpublishArticle(t.Context(), changeOf(a.ID, 1, 30))
		}
		if random.IntN(4) == 0 && err == nil {
			a, err = s.PinArticle(t.Context(), content.PinParams{ChangeParams: changeOf(a.ID, 1, random.IntN(5)), Pinned: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		a.HTML, a.JSON = "", ""
		all = append(all, a)
	}
	return all
}

// place is that of an article in a feed.
func place(a *content.Article) content.Place {
	if a.PinnedAt != nil {
		return content.Place{Pinned: true, At: *a.PinnedAt, ID: a.ID}
	}
	return content.Place{At: *a.OccurredAt, ID: a.ID}
}

// newestFirst orders two articles by their places.
func newestFirst(a, b content.Place) int {
	if a.Pinned != b.Pinned {
		if a.Pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
}

func testFeed(t *testing.T, s portalhub.Store) {
	all := drawArticles(t, s)
	for _, channels := range [][]string{{"c0"}, {"c2", "c1"}, {"c3", "c0", "c1", "c2", "none"}} {
		var want, got []content.Article
		for _, a := range all {
			if a.Status == content.Published && slices.Contains(channels, a.ChannelID) {
				want = append(want, a)
			}
		}
		slices.SortFunc(want, func(a, b content.Article) int { return newestFirst(place(&a), place(&b)) })
		p := content.FeedParams{ChannelIDs: channels, Size: 7}
		for {
			page, err := s.WalkFeed(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page...)
			if len(page) < 7 {
				break
			}
			p.After = place(&page[6])
		}
		same(t, want, got, nil)
	}
}

func testArticleWalk(t *testing.T, s portalhub.Store) {
	all := drawArticles(t, s)
	for _, channel := range []string{"", "c1", "none"} {
		for _, status := range []content.Status{0, content.Draft, content.Published, content.Offline} {
			var want, got []content.Article
			for _, a := range all {
				if (status == 0 || a.Status == status) && (channel == "" || a.ChannelID == channel) {
					want = append(want, a)
				}
			}
			created := func(a *content.Article) content.Place { return content.Place{At: a.CreateTime, ID: a.ID} }
			slices.SortFunc(want, func(a, b content.Article) int { return newestFirst(created(&a), created(&b)) })
			p := content.WalkParams{ChannelID: channel, Status: status, Size: 7}
			for {
				page, err := s.WalkArticles(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, page...)
				if len(page) < 7 {
					break
				}
				p.After = created(&page[6])
			}
			same(t, want, got, nil)
		}
	}
}

func testFeedEmpty(t *testing.T, s portalhub.Store) {
	drawArticles(t, s)
	if page, err := s.WalkFeed(t.Context(), content.FeedParams{Size: 7}); err != nil || len(page) > 0 {
		t.Errorf("%d articles, %v", len(page), err)
	}
}

// BenchmarkFeed measures a page of the articles of 10 channels, of which there are 1,000 or 100,000 in all.
func BenchmarkFeed(b *testing.B, s portalhub.Store, fill func(b *testing.B, articles int)) {
	b.Helper()
	var channels []string
	for n := range 10 {
		p := newChannel(fmt.Sprint("c", n), 0)
		createChannel(b, s, p)
		channels = append(channels, p.ID)
	}
	for _, articles := range []int{1_000, 100_000} {
		fill(b, articles)
		for name, after := range map[string]content.Place{"first page": {}, "deep page": {At: start.Add(time.Duration(articles/2) * time.Second), ID: "x"}} {
			b.Run(fmt.Sprintf("%d articles, %s", articles, name), func(b *testing.B) {
				for b.Loop() {
					page, err := s.WalkFeed(b.Context(), content.FeedParams{ChannelIDs: channels, After: after, Size: 21})
					if err != nil || len(page) != 21 {
						b.Fatal(len(page), err)
					}
				}
			})
		}
	}
}
