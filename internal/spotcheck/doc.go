// Package spotcheck has a small part of the renders made again by workers of accounts that the
// operator trusts, and compares the pictures. When they differ, it is made once more: a worker is
// at fault when two of those have made the same and it has made something else.
//
// Only trusted accounts make renders again. Accounts of one person could otherwise earn money
// with checks of each other, and two of them could put the blame on a third.
//
// A render that is made again is an ordinary job of the account that pays for checks: its worker
// earns what it earns for any job, and the one that is checked earns what it would earn without.
package spotcheck
