package account

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Identity is a person whom a provider has identified: by an issuer and a subject, never by the e-mail.
type Identity struct {
	Issuer  string
	Subject string
	Email   string // in lower case, verified by the provider; empty otherwise
	Name    string
	Groups  []string

	Grants     []Grant // what groups of the provider give
	Creates    bool    // a person without an account gets one
	Invitation string  // the code of one to accept; may be empty
	Account    string  // to act as, of several: a wallet or a username; may be empty
}

// Grant is the role that a group of a provider gives in an account.
type Grant struct {
	Group   string
	Account string // a wallet or a username
	Role    atelier.Role
}

// SignInPerson begins a console session of a person, who is a member of what their groups give, of what they are
// invited to, and of what they were before.
func (e *Engine) SignInPerson(ctx context.Context, id Identity) (Session, error) {
	var acts store.Member
	var refused error // after the groups of a person who is known have taken effect
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		refused = nil
		p, known, err := e.findPerson(tx, id)
		if err != nil {
			return err
		}
		if err := e.lockAccounts(tx, p, id); err != nil {
			return err
		}
		if err := e.applyGroups(tx, p, id); err != nil {
			return err
		}
		if err := e.acceptAll(tx, p, id); err != nil {
			return err
		}
		all, err := tx.Memberships(p.ID)
		if err != nil {
			return err
		}
		if len(all) == 0 && id.Creates {
			if all, err = e.openFor(tx, p); err != nil {
				return err
			}
		}
		if len(all) == 0 {
			refused = atelier.Errorf(atelier.CodeForbidden, "You are a member of no account here. Ask an owner of an account to invite you.")
		} else {
			acts, refused = e.choose(tx, all, id.Account)
		}
		if known {
			return nil
		}
		return refused // and of a stranger nothing is kept
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return Session{}, err
	}
	return e.beginMemberSession(ctx, acts)
}

// beginMemberSession begins a session that acts with the key of a membership.
func (e *Engine) beginMemberSession(ctx context.Context, m store.Member) (Session, error) {
	return e.beginSession(ctx, m.Wallet, func(tx *store.Tx) (a atelier.Account, hash string, err error) {
		now, err := tx.Member(m.Wallet, m.Person.ID) // it may have ended since
		if errors.Is(err, store.ErrNotFound) {
			err = errNoSession()
		}
		if err != nil {
			return a, "", err
		}
		a, err = tx.Account(m.Wallet)
		return a, now.KeyHash, err
	})
}

// errAtOnce is the error of a first sign-in that another one of the same person was faster than, again and again.
var errAtOnce = atelier.Errorf(atelier.CodeUnavailable, "You are signing in at the same time elsewhere. Try again.")

// findPerson finds who has an identity, or makes a person of it, and records what the provider says of them. It
// reports whether the person was known.
func (e *Engine) findPerson(tx *store.Tx, id Identity) (p atelier.Person, known bool, err error) {
	p, err = tx.PersonOf(id.Issuer, id.Subject)
	switch {
	case err == nil:
		known = true
	case errors.Is(err, store.ErrNotFound):
		p = atelier.Person{ID: atelier.PersonID(mint.UUID()), CreatedAt: e.now()}
		if err := tx.InsertPerson(p); err != nil {
			return p, false, err
		}
		mine, err := tx.InsertIdentity(id.Issuer, id.Subject, p.ID, e.now())
		if err == nil && !mine {
			err = database.Again(errAtOnce)
		}
		if err != nil {
			return p, false, err
		}
	default:
		return p, false, err
	}
	if err := tx.LockPerson(p.ID); err != nil { // two sign-ins at once must not both add what is not there
		return p, false, err
	}
	p.Email, p.SignedInAt = id.Email, e.now()
	if isPersonName(id.Name) && id.Name != "" {
		p.Name = id.Name
	}
	return p, known, tx.PersonSignedIn(p)
}

// lockAccounts locks the accounts that a sign-in may change, in one order, before it changes any of them: two that wait
// for each other would end with an error.
func (e *Engine) lockAccounts(tx *store.Tx, p atelier.Person, id Identity) error {
	wallets, err := e.groupRoles(tx, id)
	if err != nil {
		return err
	}
	members, err := tx.Memberships(p.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Source == atelier.MemberByGroup {
			wallets[m.Wallet] = m.Role
		}
	}
	invitations, err := e.invitationsOf(tx, p, id)
	if err != nil {
		return err
	}
	for _, i := range invitations {
		wallets[i.Wallet] = i.Role
	}
	for _, w := range slices.Sorted(maps.Keys(wallets)) {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
	}
	return nil
}

// groupRoles are the roles that the groups of a person give in accounts.
func (e *Engine) groupRoles(tx *store.Tx, id Identity) (map[atelier.Wallet]atelier.Role, error) {
	given := map[atelier.Wallet]atelier.Role{}
	for _, g := range id.Grants {
		if !slices.Contains(id.Groups, g.Group) {
			continue
		}
		a, err := tx.Account(atelier.Wallet(g.Account))
		if errors.Is(err, store.ErrNotFound) {
			a, err = tx.AccountByUsername(g.Account)
		}
		if errors.Is(err, store.ErrNotFound) {
			continue // the account of the configuration is not there yet
		}
		if err != nil {
			return nil, err
		}
		if have, ok := given[a.Wallet]; !ok || g.Role.Includes(have) {
			given[a.Wallet] = g.Role
		}
	}
	return given, nil
}

// applyGroups makes a person a member of what their groups give, and removes them from what groups gave before. A role
// that an owner has set stays. The caller has locked the accounts.
func (e *Engine) applyGroups(tx *store.Tx, p atelier.Person, id Identity) error {
	given, err := e.groupRoles(tx, id)
	if err != nil {
		return err
	}
	before, err := tx.Memberships(p.ID)
	if err != nil {
		return err
	}
	was, wallets := map[atelier.Wallet]store.Member{}, maps.Clone(given)
	for _, m := range before {
		was[m.Wallet], wallets[m.Wallet] = m, m.Role
	}
	for _, w := range slices.Sorted(maps.Keys(wallets)) {
		m, member := was[w]
		role, gives := given[w]
		switch {
		case gives && (!member || m.Source == atelier.MemberByGroup && m.Role != role):
			m, err := e.putMember(tx, store.Member{Wallet: w, Person: p, Role: role, Source: atelier.MemberByGroup}, false)
			if err != nil {
				return err
			}
			if err := e.actSignedIn(tx, m, actionGroup); err != nil {
				return err
			}
		case !gives && member && m.Source == atelier.MemberByGroup:
			if _, _, err := e.endMember(tx, m); err != nil {
				return err
			}
			if err := e.actSignedIn(tx, m, actionGroupEnds); err != nil {
				return err
			}
		}
	}
	return nil
}

// actSignedIn records what a sign-in has done to a membership.
func (e *Engine) actSignedIn(tx *store.Tx, m store.Member, action string) error {
	return e.act(tx, m.Wallet, atelier.KeyID(m.KeyHash), action, string(m.Person.ID), DescribeMember(m.Role, m.Person.Called()))
}

// invitationsOf lists the invitation whose code came with a sign-in, and those of the verified e-mail.
func (e *Engine) invitationsOf(tx *store.Tx, p atelier.Person, id Identity) (list []store.Invitation, err error) {
	if p.Email != "" {
		if list, err = tx.InvitationsTo(p.Email, e.now()); err != nil {
			return nil, err
		}
	}
	if id.Invitation != "" {
		found, err := tx.Invitation(hashText(id.Invitation), e.now())
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil && !slices.ContainsFunc(list, func(i store.Invitation) bool { return i.Hash == found.Hash }) {
			list = append(list, found)
		}
	}
	slices.SortStableFunc(list, func(a, b store.Invitation) int { return cmp.Compare(a.Wallet, b.Wallet) })
	return list, nil
}

// acceptAll accepts the invitations of a sign-in.
func (e *Engine) acceptAll(tx *store.Tx, p atelier.Person, id Identity) error {
	list, err := e.invitationsOf(tx, p, id)
	if err != nil {
		return err
	}
	for _, i := range list {
		m, err := e.join(tx, i, p)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was withdrawn meanwhile
		}
		if err != nil {
			return err
		}
		if err := e.actSignedIn(tx, m, actionAccept); err != nil {
			return err
		}
	}
	return nil
}

// openFor makes an account of a person's own, with no money and without a key that is never shown.
func (e *Engine) openFor(tx *store.Tx, p atelier.Person) ([]store.Member, error) {
	o, err := e.prepare(NewAccount{})
	if err != nil {
		return nil, err
	}
	if o.Key = ""; p.Email != "" {
		o.Account.Email, o.Account.EmailVerified = p.Email, true
	}
	if err := e.open(tx, o, atelier.TierNone, nil); err != nil {
		return nil, err
	}
	m, err := e.putMember(tx, store.Member{Wallet: o.Account.Wallet, Person: p, Role: atelier.RoleOwner, Source: atelier.MemberByInvitation}, false)
	if err != nil {
		return nil, err
	}
	return []store.Member{m}, e.actSignedIn(tx, m, actionOpen)
}

// choose finds the membership to act with: of the account that is asked for, or else of the first that is not
// suspended.
func (e *Engine) choose(tx *store.Tx, all []store.Member, account string) (store.Member, error) {
	var first *store.Member
	for i, m := range all {
		a, err := tx.Account(m.Wallet)
		if err != nil {
			return m, err
		}
		if account != "" && (a.Wallet.Equal(atelier.Wallet(account)) || a.Username == account) {
			return m, nil
		}
		if first == nil && !a.Suspended() {
			first = &all[i]
		}
	}
	switch {
	case account != "":
		return store.Member{}, atelier.Missing("account", account, "account")
	case first == nil:
		return store.Member{}, &atelier.Error{Code: atelier.CodeAccountSuspended}
	}
	return *first, nil
}

// Joined is an account of which a person is a member.
type Joined struct {
	Account atelier.Account
	Role    atelier.Role
}

// Accounts lists the accounts that a caller can switch to: those of which the person is a member, for a session that
// acts with the key of a membership.
func (e *Engine) Accounts(ctx context.Context, c atelier.Caller) (list []Joined, err error) {
	m := c.Member()
	if m.Person == "" || m.KeyID != c.KeyID || c.SessionHash == "" {
		return nil, nil
	}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Memberships(m.Person)
		list = nil
		for _, one := range all {
			a, err := tx.Account(one.Wallet)
			if err != nil {
				return err
			}
			if !a.Suspended() {
				list = append(list, Joined{a, one.Role})
			}
		}
		return err
	})
	return list, err
}

// Switch ends the session of a caller and begins one in another account of which the person is a member.
func (e *Engine) Switch(ctx context.Context, c atelier.Caller, account string) (Session, error) {
	m := c.Member()
	if m.Person == "" || m.KeyID != c.KeyID || c.SessionHash == "" {
		return Session{}, atelier.Errorf(atelier.CodeForbidden, "This session acts with an API key. Sign in as a member to switch between accounts.")
	}
	var to store.Member
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Memberships(m.Person)
		if err == nil {
			to, err = e.choose(tx, all, account)
		}
		return err
	})
	if err != nil {
		return Session{}, err
	}
	s, err := e.beginMemberSession(ctx, to)
	if err != nil {
		return Session{}, err
	}
	return s, e.SignOut(ctx, c)
}

// Issuer is the issuer of a member's identity; empty for who has none.
func (e *Engine) Issuer(ctx context.Context, c atelier.Caller) (issuer string, err error) {
	if c.Member().Person == "" {
		return "", nil
	}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		issuer, err = tx.IssuerOf(c.Member().Person)
		return err
	})
	return issuer, err
}
