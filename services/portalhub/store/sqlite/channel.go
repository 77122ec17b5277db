package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/content"
)

var _ content.ChannelStore = (*Store)(nil)

var channels = table[content.Channel]{channelRows, content.ChannelNotFound}

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
	return channels.change(ctx, s, "update channel", p.ID, s.updateChannel,
		p.Name, p.Type, p.Sort, visible, p.Enabled, micros(p.Now), p.By, p.ID)
}

// EnableChannel decides in one statement.
func (s *Store) EnableChannel(ctx context.Context, p content.EnableChannelParams) (content.Channel, error) {
	return channels.change(ctx, s, "enable channel", p.ID, s.enableChannel, p.Enabled, micros(p.Now), p.By, p.ID)
}

// ListChannels reads the table.
func (s *Store) ListChannels(ctx context.Context, p content.ListChannelsParams) ([]content.Channel, error) {
	channels, err := channelRows(ctx, s.listChannels, p.Enabled)
	return channels, s.file.Failed(ctx, "list channels", err)
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
