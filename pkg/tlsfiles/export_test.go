package tlsfiles

// Check is what Watching does every few seconds.
var Check = (*Files).check
