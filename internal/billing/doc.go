// Package billing is the only path of money. It books credits into purses, one for
// each token of an account (Spark, Premium Spark, svc), holds money before work
// begins, settles a hold when the work is done, releases it when the work failed,
// reads the balance and adds up what was spent by application. A settlement records the
// work, what it cost and what its worker earns (internal/analytics counts the records); it
// closes the months of earnings and pays claims.
//
// Amounts are whole millionths. Every change of a purse is a guarded update in
// one transaction with its reason: a row of the ledger for money that is granted or
// spent, a hold for money that is set aside. A purse never goes below zero, and one
// cause (a job and its attempt) is held, settled and released at most once, however
// often it is retried. Only Decide knows which token pays and what a plan covers.
// Work with a known price is paid from its hold; a Reservation, whose work is
// measured, may take more than it held, up to the balance.
//
// It serves the Account part of the specification and the account commands,
// and uses store.
package billing
