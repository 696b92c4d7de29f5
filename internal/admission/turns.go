package admission

import "slices"

// Turns is the queue of what accounts wait for. Accounts take turns, and one thing of each is under way at a
// time: one that waits for much keeps no other waiting. It is not safe for concurrent use; its owner locks it.
type Turns[A comparable, T any] struct {
	lines   []*line[A, T] // in the order of their turns
	waiting int
}

// line is what one account waits for.
type line[A comparable, T any] struct {
	account A
	waiting []T
	isBusy  bool // something of the account is under way
}

// Len is how many things wait.
func (t *Turns[A, T]) Len() int { return t.waiting }

// Accounts is how many accounts wait, or have something under way.
func (t *Turns[A, T]) Accounts() int { return len(t.lines) }

// Waiting is what an account waits for, in its order.
func (t *Turns[A, T]) Waiting(account A) []T {
	if l := t.line(account); l != nil {
		return l.waiting
	}
	return nil
}

// Add puts something behind what its account waits for.
func (t *Turns[A, T]) Add(account A, thing T) {
	l := t.line(account)
	if l == nil {
		l = &line[A, T]{account: account}
		t.lines = append(t.lines, l)
	}
	l.waiting = append(l.waiting, thing)
	t.waiting++
}

// Next takes what is next, which is under way then. It takes nothing while that does not fit: if smaller
// things were taken before it, it might never fit.
func (t *Turns[A, T]) Next(fits func(T) bool) (account A, thing T, ok bool) {
	i := slices.IndexFunc(t.lines, func(l *line[A, T]) bool { return !l.isBusy && len(l.waiting) > 0 })
	if i < 0 || !fits(t.lines[i].waiting[0]) {
		return account, thing, false
	}
	l := t.lines[i]
	thing, l.waiting, l.isBusy = l.waiting[0], l.waiting[1:], true
	t.waiting--
	return l.account, thing, true
}

// Done ends what an account has under way. Its next turn comes after those of the others.
func (t *Turns[A, T]) Done(account A) {
	i := slices.IndexFunc(t.lines, func(l *line[A, T]) bool { return l.account == account })
	l := t.lines[i]
	l.isBusy = false
	t.lines = append(slices.Delete(t.lines, i, i+1), l)
	t.forgetIfIdle(l)
}

// Remove removes what an account waits for and no longer wants.
func (t *Turns[A, T]) Remove(account A, isUnwanted func(T) bool) {
	l := t.line(account)
	before := len(l.waiting)
	l.waiting = slices.DeleteFunc(l.waiting, isUnwanted)
	t.waiting -= before - len(l.waiting)
	t.forgetIfIdle(l)
}

// Shorten removes the last thing of the account that waits for most: of several, the given one, or the one
// whose turn is last.
func (t *Turns[A, T]) Shorten(account A) {
	longest := t.line(account)
	for _, l := range slices.Backward(t.lines) {
		if longest == nil || len(l.waiting) > len(longest.waiting) {
			longest = l
		}
	}
	longest.waiting = longest.waiting[:len(longest.waiting)-1]
	t.waiting--
	t.forgetIfIdle(longest)
}

// line is the line of an account, or nil.
func (t *Turns[A, T]) line(account A) *line[A, T] {
	for _, l := range t.lines {
		if l.account == account {
			return l
		}
	}
	return nil
}

// forgetIfIdle removes the line of an account that neither waits nor has something under way.
func (t *Turns[A, T]) forgetIfIdle(l *line[A, T]) {
	if !l.isBusy && len(l.waiting) == 0 {
		t.lines = slices.DeleteFunc(t.lines, func(other *line[A, T]) bool { return other == l })
	}
}
