package postgres

import (
	"context"

	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
)

// What tests look at: the statements, for their plans, and the size from which a push is a COPY.
const CopyFrom = copyFrom

var (
	InsertMissing = insertMissing
	PushArgs      = pushArgs
	UpdateRead    = updateRead
	UpdateAllRead = updateAllRead
	CountUnread   = countUnread

	SelectNewest     = selectNewest
	SelectEvents     = selectEvents
	SelectRecipients = selectRecipients
	SelectBefore     = selectBefore
	DeleteEvents     = deleteEvents

	SelectUsers    = selectUsers
	DeleteRead     = deleteRead
	DeleteBodies   = deleteBodies
	LockUnused     = lockUnused
	DeleteMessages = deleteMessages
)

// WalkQuery and SearchQuery are the statements of a list.
var (
	WalkQuery   = walkQuery
	SearchQuery = searchQuery
)

// The statements that calls share.
var (
	InsertPushes = insertPushes
	UpdateReads  = updateReads
	PushesArgs   = pushesArgs
	ReadsArgs    = readsArgs
)

func (s *Store) PushShared(ctx context.Context, all []inbox.PushParams) ([]trip.Outcome[inbox.PushResult], error) {
	return s.pushShared(ctx, all)
}

func (s *Store) PushAlone(ctx context.Context, p inbox.PushParams, unknown bool) (inbox.PushResult, error) {
	return s.pushAlone(ctx, p, unknown)
}

func (s *Store) MarkReadShared(ctx context.Context, all []inbox.MarkReadParams) ([]trip.Outcome[inbox.MarkReadResult], error) {
	return s.markReadShared(ctx, all)
}

func (s *Store) MarkReadAlone(ctx context.Context, p inbox.MarkReadParams, unknown bool) (inbox.MarkReadResult, error) {
	return s.markReadAlone(ctx, p, unknown)
}

// ListQuery is the statement of a page of a list, for a look at its plan.
func ListQuery(p inbox.ListParams) (query string, args []any) { return listQuery(pageKey(p), p) }
