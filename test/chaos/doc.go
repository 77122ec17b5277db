// Package chaos breaks Hub's distributed shape while it works, and compares what was answered with
// what users see: real processes, PostgreSQL and Redis, and portals that behave like browsers.
//
// The tests are short by default. With -full they have the size at which Hub's promises count, and
// each is run once more on a Hub whose mitigation was taken out, where it must find faults.
package chaos
