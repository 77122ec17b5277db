// Package hub is the client of a business system that reports todos and messages to Hub: native gRPC with
// tokens, deadlines and repeats that do no harm, and a watcher of the stream of events.
//
// [Dial] gives a [Client]. Its fields Todos and Messages are the services as the protos have them; its methods
// do what takes more than one call. [Tokens] and [Watcher] are also of use alone.
package hub
