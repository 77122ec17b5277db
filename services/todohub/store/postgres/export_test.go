package postgres

// The statements of retention, for a look at their plans.
var (
	SelectAssignees = selectAssignees
	DeleteOld       = deleteOld
)

// CountTodos and CountArgs are the statement that counts lists, for a look at its plan.
var (
	CountTodos = countTodos
	CountArgs  = countArgs
)

// ListQuery, WalkQuery and SearchQuery are the statements of a list, for a look at their plans.
var (
	ListQuery   = listQuery
	WalkQuery   = walkQuery
	SearchQuery = searchQuery
)

// The statements of batches and reconciles, for a look at their plans.
var (
	UpsertTodos    = upsertTodos
	ManyArgs       = manyArgs
	ReconcileTodos = reconcileTodos
)
