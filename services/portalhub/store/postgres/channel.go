package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/content"
)

var _ content.ChannelStore = (*Store)(nil)

var channels = table[content.Channel]{scanChannel, content.ChannelNotFound}

// scanChannel reads the columns of a row of channel.
func scanChannel(rows pgx.CollectableRow) (content.Channel, error) {
	var c content.Channel
	var kind int16
	err := rows.Scan(
		&c.ID, &c.Name, &kind, &c.Sort, &c.VisibleFor, &c.Enabled,
		&c.CreateTime, &c.ModifyTime, &c.CreatorID, &c.ModifierID)
	c.Type = content.Type(kind)
	return c, err
}

// CreateChannel counts and adds in one statement, one at a time.
func (s *Store) CreateChannel(ctx context.Context, p content.CreateChannelParams) (bool, error) {
	created, _, err := s.create(ctx, "channel", createChannel, p.ID, p.Name, p.Type, p.Sort, texts(p.VisibleFor), p.Enabled, p.Now, p.By, p.Most)
	return created, pg.Failed("create channel", err)
}

// UpdateChannel decides in one statement. A repeat writes the same once more.
func (s *Store) UpdateChannel(ctx context.Context, p content.UpdateChannelParams) (content.Channel, error) {
	return channels.one(ctx, s, "update channel", p.ID, updateChannel,
		p.Name, p.Type, p.Sort, texts(p.VisibleFor), p.Enabled, p.Now, p.By, p.ID)
}

// EnableChannel decides in one statement. A repeat finds it so.
func (s *Store) EnableChannel(ctx context.Context, p content.EnableChannelParams) (content.Channel, error) {
	return channels.one(ctx, s, "enable channel", p.ID, enableChannel, p.Enabled, p.Now, p.By, p.ID)
}

// ListChannels reads the table.
func (s *Store) ListChannels(ctx context.Context, p content.ListChannelsParams) ([]content.Channel, error) {
	return channels.list(ctx, s, "list channels", listChannels, p.Enabled)
}
