// Package upgrade holds Hub to its rule for updates: the previous release runs on the schema of this
// one, and beside it. Its tests build the commit that the file PREVIOUS names, and run the contract
// suite of that commit against both.
package upgrade
