package portalhub_test

import (
	"testing"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/blob/disk"
	"example.com/hub/services/portalhub/internal/app"
	"example.com/hub/services/portalhub/internal/content"
)

// TestTheDemoFillsAnEmptyDirectoryOnly has a directory that somebody changed in between.
func TestTheDemoFillsAnEmptyDirectoryOnly(t *testing.T) {
	store := openStore(t)
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	files, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deps := portalhub.Deps{Config: c, Store: store, Blobs: files}
	if err := portalhub.FillDemo(t.Context(), deps); err != nil {
		t.Fatal(err)
	}
	before, err := store.GetPerson(t.Context(), "carla")
	if err != nil || len(before.Roles) != 2 || len(before.Departments) != 1 {
		t.Fatalf("carla is %+v, %v", before, err)
	}
	apps, err := store.ListApps(t.Context(), app.ListParams{Enabled: true})
	if err != nil || len(apps) != 7 {
		t.Errorf("%d apps, %v", len(apps), err)
	}
	channels, err := store.ListChannels(t.Context(), content.ListChannelsParams{Enabled: true})
	if err != nil || len(channels) != 3 {
		t.Errorf("%d channels, %v", len(channels), err)
	}
	var ids []string
	for _, c := range channels {
		ids = append(ids, c.ID)
	}
	articles, err := store.WalkFeed(t.Context(), content.FeedParams{ChannelIDs: ids, Size: 100})
	if err != nil || len(articles) != 6 || articles[0].PinnedAt == nil || articles[5].PinnedAt != nil {
		t.Errorf("the articles are %+v, %v", articles, err)
	}
	covers := 0
	for _, a := range articles {
		if a.CoverImageURL != "" {
			covers++
		}
		if full, err := store.GetArticle(t.Context(), content.GetParams{ID: a.ID}); err != nil || content.Sanitise(full.HTML) != full.HTML || len(full.HTML) < 100 {
			t.Errorf("%s is %q, %v", a.Title, full.HTML, err)
		}
	}
	if covers != 3 {
		t.Errorf("%d articles have a picture", covers)
	}
	if err := portalhub.FillDemo(t.Context(), deps); err != nil {
		t.Fatal(err)
	}
	if again, err := store.ListChannels(t.Context(), content.ListChannelsParams{}); err != nil || len(again) != 3 {
		t.Errorf("%d channels, %v", len(again), err)
	}
	if after, err := store.GetPerson(t.Context(), "carla"); err != nil || !after.ModifyTime.Equal(before.ModifyTime) {
		t.Errorf("she was told of again: %+v, %v", after, err)
	}
}
