package postgres

// The statements of retention, for a look at their plans.
const (
	Assignees = sqlAssignees
	RemoveOld = sqlRemoveOld
)

// ListQuery is the statement of a list, for a look at its plan.
var ListQuery = listQuery
