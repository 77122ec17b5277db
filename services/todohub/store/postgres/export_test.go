package postgres

// The statements of retention, for a look at their plans.
var (
	SelectAssignees = selectAssignees
	DeleteOld       = deleteOld
)

// ListQuery and WalkQuery are the statements of a list, for a look at their plans.
var (
	ListQuery = listQuery
	WalkQuery = walkQuery
)
