// Package node is one running process of the service: it opens the parts that
// the configuration names, wires the engines to them and serves until its
// context ends. The command line and the tests run the same one.
package node
