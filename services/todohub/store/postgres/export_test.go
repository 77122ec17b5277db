package postgres

// The statements of retention, for a look at their plans.
var (
	SelectAssignees = selectAssignees
	DeleteOld       = deleteOld
)

// ListQuery is the statement of a list, for a look at its plan.
var ListQuery = listQuery
