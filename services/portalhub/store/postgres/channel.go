package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/content"
)

var _ content.ChannelStore = (*Store)(nil)

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
	return s.oneChannel(ctx, "update channel", p.ID, updateChannel,
		p.Name, p.Type, p.Sort, texts(p.VisibleFor), p.Enabled, p.Now, p.By, p.ID)
}

// EnableChannel decides in one statement. A repeat finds it so.
func (s *Store) EnableChannel(ctx context.Context, p content.EnableChannelParams) (content.Channel, error) {
	return s.oneChannel(ctx, "enable channel", p.ID, enableChannel, p.Enabled, p.Now, p.By, p.ID)
}

// ListChannels reads the table.
func (s *Store) ListChannels(ctx context.Context, p content.ListChannelsParams) ([]content.Channel, error) {
	channels, err := s.channels(ctx, listChannels, p.Enabled)
	return channels, pg.Failed("list channels", err)
}

// oneChannel runs a statement that answers the channel with an id.
func (s *Store) oneChannel(ctx context.Context, doing, id, query string, args ...any) (content.Channel, error) {
	channels, err := s.channels(ctx, query, args...)
	switch {
	case err != nil:
		return content.Channel{}, pg.Failed(doing, err)
	case len(channels) == 0:
		return content.Channel{}, content.ChannelNotFound(id)
	}
	return channels[0], nil
}

func (s *Store) channels(ctx context.Context, query string, args ...any) (channels []content.Channel, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		channels, err = pgx.CollectRows(rows, scanChannel)
		return err
	})
	return channels, err
}
