package worktest

import "testing"

// Exhaustive reports whether a test goes through all its cases. It does in make check,
// when the race detector is off; see the directive norace in internal/suites. A few cases
// are enough for go test -short, which is make test, and for what the race detector can
// see.
func Exhaustive() bool { return !testing.Short() && !Racing }

// NeedExhaustive skips a test that has no smaller form.
func NeedExhaustive(t testing.TB) {
	t.Helper()
	if !Exhaustive() {
		t.Skip("left out: make check runs it, without the race detector")
	}
}

// NeedFull skips a test that make test leaves out.
func NeedFull(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out: make check runs it")
	}
}
