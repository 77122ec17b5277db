// Package clients tests Hub's clients against the distributed shape.
package clients
