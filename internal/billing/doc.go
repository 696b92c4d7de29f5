// Package billing is the one path that money takes: credits booked into
// purses, and the balance that an account reads. Amounts are whole millionths;
// every change of a purse is a ledger row with a cause, in the same
// transaction, and the same cause is never booked twice.
//
// It serves the Account part of the specification and the account commands,
// and stands on store.
package billing
