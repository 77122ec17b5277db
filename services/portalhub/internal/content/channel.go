package content

import (
	"context"

	"example.com/hub/pkg/field"
	"example.com/hub/services/portalhub/internal/visibility"
)

// ListChannels gives all channels, by Sort, then Name.
func (s *Service) ListChannels(ctx context.Context) ([]Channel, error) {
	return s.store.ListChannels(ctx, ListChannelsParams{})
}

// ChannelRequest is what is said of a channel.
type ChannelRequest struct {
	ChannelSettings
	// Enabled is nil where it is not said.
	Enabled *bool
}

// CreateChannel adds a channel, which is enabled unless said otherwise. Faults: Invalid; Conflict when there are too
// many.
func (s *Service) CreateChannel(ctx context.Context, by string, r ChannelRequest) (Channel, error) {
	p := CreateChannelParams{
		Stamp: s.stamp(by), ID: newID(), ChannelSettings: r.ChannelSettings, Enabled: r.Enabled == nil || *r.Enabled, Most: MaxChannels,
	}
	var c field.Checks
	if p.check(&c); c.Err() != nil {
		return Channel{}, c.Err()
	}
	created, err := s.store.CreateChannel(ctx, p)
	if err == nil && !created {
		err = tooMany(p.ID)
	}
	if err != nil {
		return Channel{}, err
	}
	return Channel{
		ID: p.ID, ChannelSettings: p.ChannelSettings, Enabled: p.Enabled,
		CreateTime: p.Now, ModifyTime: p.Now, CreatorID: p.By, ModifierID: p.By,
	}, nil
}

// UpdateChannel replaces what is said of a channel; Enabled stays unless said. Faults: Invalid; NotFound.
func (s *Service) UpdateChannel(ctx context.Context, by, id string, r ChannelRequest) (Channel, error) {
	p := UpdateChannelParams{Stamp: s.stamp(by), ID: id, ChannelSettings: r.ChannelSettings, Enabled: r.Enabled}
	var c field.Checks
	c.ID("channel_id", id)
	if p.check(&c); c.Err() != nil {
		return Channel{}, c.Err()
	}
	return s.store.UpdateChannel(ctx, p)
}

// EnableChannel lets the articles of a channel be seen, or hides them. One that is so already stays as it is. Faults:
// Invalid; NotFound.
func (s *Service) EnableChannel(ctx context.Context, by, id string, enabled bool) (Channel, error) {
	var c field.Checks
	if c.ID("channel_id", id); c.Err() != nil {
		return Channel{}, c.Err()
	}
	return s.store.EnableChannel(ctx, EnableChannelParams{Stamp: s.stamp(by), ID: id, Enabled: enabled})
}

// visible gives the enabled channels that a user sees, by their ids.
func (s *Service) visible(ctx context.Context, username string) (map[string]*Channel, error) {
	channels, err := s.store.ListChannels(ctx, ListChannelsParams{Enabled: true})
	if err != nil {
		return nil, err
	}
	subjects, err := s.subjects.Subjects(ctx, username)
	if err != nil {
		return nil, err
	}
	seen := map[string]*Channel{}
	for i := range channels {
		if c := &channels[i]; visibility.Admits(c.VisibleFor, subjects) {
			seen[c.ID] = c
		}
	}
	return seen, nil
}
