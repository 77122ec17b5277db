package postgres

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

// ListQuery, WalkQuery and SearchQuery are the statements of a list.
var (
	ListQuery   = listQuery
	WalkQuery   = walkQuery
	SearchQuery = searchQuery
)
