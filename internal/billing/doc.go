// Package billing is the one path that money takes: credits booked into
// purses, money held before work begins, spent when it is done, released when
// it came to nothing, the balance that an account reads, and the sums of what
// was spent for which application.
//
// Amounts are whole millionths. Every change of a purse is a guarded update in
// one transaction with its reason: a ledger row for what is granted or spent, a
// hold for what is set aside. A purse never goes below zero, and one cause (a
// job and its attempt) is held, spent and released at most once, however often
// it is tried. Decide alone knows who pays. Work whose price is known before is
// paid from its hold alone; a Tab, whose work is measured, may take more than it
// held, as far as the account reaches.
//
// It serves the Account part of the specification and the account commands,
// and stands on store.
package billing
