// Package spotcheck has a small part of the renders made again by a worker of another account,
// and compares the pictures. When they differ, a worker of a third account decides which of
// the two has made something else.
//
// A render that is made again is an ordinary job of the account that pays for checks: its worker
// earns what it earns for any job, and the one that is checked earns what it would earn without.
// A worker cannot tell it from other jobs.
package spotcheck
