package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/content"
)

var _ content.ChannelStore = (*Store)(nil)

// channelStatements are those of the channels.
type channelStatements struct {
	createChannel, updateChannel, enableChannel, listChannels *sql.Stmt
}

func (s *Store) prepareChannels(ctx context.Context, p *sqlitefile.Preparer) {
	s.channelStatements = channelStatements{
		createChannel: p.Prepare(ctx, s.file.Write, createChannel),
		updateChannel: p.Prepare(ctx, s.file.Write, updateChannel),
		enableChannel: p.Prepare(ctx, s.file.Write, enableChannel),
		listChannels:  p.Prepare(ctx, s.file.Read, listChannels),
	}
}

// CreateChannel decides in one statement.
func (s *Store) CreateChannel(ctx context.Context, p content.CreateChannelParams) (created bool, err error) {
	visible, err := texts(p.VisibleFor)
	if err != nil {
		return false, err
	}
	return s.exec(ctx, "create channel", s.createChannel,
		p.ID, p.Name, p.Type, p.Sort, visible, p.Enabled, micros(p.Now), p.By, p.Most)
}

// UpdateChannel decides in one statement.
func (s *Store) UpdateChannel(ctx context.Context, p content.UpdateChannelParams) (content.Channel, error) {
	visible, err := texts(p.VisibleFor)
	if err != nil {
		return content.Channel{}, err
	}
	return s.changeChannel(ctx, "update channel", p.ID, s.updateChannel,
		p.Name, p.Type, p.Sort, visible, p.Enabled, micros(p.Now), p.By, p.ID)
}

// EnableChannel decides in one statement.
func (s *Store) EnableChannel(ctx context.Context, p content.EnableChannelParams) (content.Channel, error) {
	return s.changeChannel(ctx, "enable channel", p.ID, s.enableChannel, p.Enabled, micros(p.Now), p.By, p.ID)
}

// ListChannels reads the table.
func (s *Store) ListChannels(ctx context.Context, p content.ListChannelsParams) ([]content.Channel, error) {
	channels, err := channelRows(ctx, s.listChannels, p.Enabled)
	return channels, s.file.Failed(ctx, "list channels", err)
}

// changeChannel runs a statement that answers the channel that it changed.
func (s *Store) changeChannel(ctx context.Context, doing, id string, stmt *sql.Stmt, args ...any) (c content.Channel, err error) {
	err = s.file.Change(ctx, doing, func(ctx context.Context, tx *sql.Tx) error {
		channels, err := channelRows(ctx, sqlitefile.In(ctx, tx, stmt), args...)
		if err != nil {
			return err
		}
		if len(channels) == 0 {
			return content.ChannelNotFound(id)
		}
		c = channels[0]
		return nil
	})
	if err != nil {
		return content.Channel{}, err
	}
	return c, nil
}

// channelRows runs a statement that answers channels.
func channelRows(ctx context.Context, stmt sqlitefile.Statement, args ...any) (channels []content.Channel, err error) {
	var (
		c                      content.Channel
		visible                []byte
		createTime, modifyTime int64
	)
	into := []any{
		&c.ID, &c.Name, &c.Type, &c.Sort, &visible, &c.Enabled,
		&createTime, &modifyTime, &c.CreatorID, &c.ModifierID,
	}
	err = sqlitefile.ForEachRow(ctx, stmt, args, into, func() error {
		c.VisibleFor = nil // or the next row would have this one's array
		if err := json.Unmarshal(visible, &c.VisibleFor); err != nil {
			return err
		}
		c.CreateTime, c.ModifyTime = instant(createTime), instant(modifyTime)
		channels = append(channels, c)
		return nil
	})
	return channels, err
}
