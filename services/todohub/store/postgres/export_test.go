package postgres

// ListQuery is the statement of a list, for a look at its plan.
var ListQuery = listQuery
