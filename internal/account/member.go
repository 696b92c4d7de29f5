package account

import (
	"context"
	"crypto/rand"
	"errors"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// InvitationTTL is how long an invitation can be accepted.
const InvitationTTL = 7 * 24 * time.Hour

// maxMembers is how many members and invitations an account has together.
const maxMembers = 200

// maxPersonName is the longest name of a person, in characters: that of a key, which gets it.
const maxPersonName = maxKeyName

// NewMember is a person to invite.
type NewMember struct {
	Email  string // the invitation is also accepted by signing in with it; may be empty
	Name   string // may be empty
	Role   atelier.Role
	Budget atelier.KeyBudget // of all their work; zero for none
}

func (n *NewMember) check() error {
	if n.Email != "" {
		email, err := ParseEmail(n.Email)
		if err != nil {
			return atelier.Refuse("email", "must be an address such as ann@example.org.")
		}
		n.Email = email
	}
	if n.Name = strings.Join(strings.Fields(n.Name), " "); !isPersonName(n.Name) {
		return atelier.Refuse("name", "must have at most %d printable characters.", maxPersonName)
	}
	return checkMembership(n.Role, n.Budget)
}

func isPersonName(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxPersonName && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// ParseEmail reads an address without a name, and writes it in lower case.
func ParseEmail(text string) (string, error) {
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || len(text) > 254 {
		return "", errors.New("not an e-mail address")
	}
	return strings.ToLower(text), nil
}

func checkMembership(r atelier.Role, b atelier.KeyBudget) error {
	if !r.Includes(atelier.RoleViewer) || r == "" {
		return atelier.Refuse("role", "must be owner, editor or viewer.")
	}
	return budgetField(atelier.KeyLimits{Budget: b}.Check(time.Time{}))
}

// budgetField names the field of an error about a budget as requests about members have it.
func budgetField(err error) error {
	var e *atelier.Error
	if errors.As(err, &e) {
		if field, below := strings.CutPrefix(e.Field, "limits."); below {
			out := *e
			out.Field, out.Message = field, strings.Replace(e.Message, "limits.", "", 1)
			return &out
		}
	}
	return err
}

// Team is who is a member of an account, and who is invited.
type Team struct {
	Members     []store.Member
	Invitations []store.Invitation
}

// Members lists the members of an account and its open invitations.
func (e *Engine) Members(ctx context.Context, w atelier.Wallet) (t Team, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if t.Members, err = tx.Members(w); err != nil {
			return err
		}
		t.Invitations, err = tx.Invitations(w, e.now())
		return err
	})
	return t, err
}

// Invite makes an invitation to an account, and the code that accepts it once, which is shown only here.
func (e *Engine) Invite(ctx context.Context, w atelier.Wallet, by atelier.PersonID, n NewMember, also ...Also) (code string, i store.Invitation, err error) {
	if err := n.check(); err != nil {
		return "", i, err
	}
	now := e.now()
	code = rand.Text()
	i = store.Invitation{
		Hash: hashText(code), ID: mint.UUID(), Wallet: w, Email: n.Email, Name: n.Name, Role: n.Role, Budget: n.Budget, By: by,
		CreatedAt: now, ExpiresAt: now.Add(InvitationTTL),
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // two requests must not both be the last one
			return err
		}
		if err := tx.DeleteExpiredInvitations(w, now); err != nil {
			return err
		}
		members, err := tx.Members(w)
		if err != nil {
			return err
		}
		open, err := tx.Invitations(w, now)
		if err != nil {
			return err
		}
		if len(members)+len(open) >= maxMembers {
			return atelier.Errorf(atelier.CodeWrongState, "The account has %d members and open invitations, and can have %d. Remove one first.", len(members)+len(open), maxMembers)
		}
		if err := tx.InsertInvitation(i); err != nil {
			return err
		}
		return callAll(tx, also...)
	})
	return code, i, err
}

// Withdraw withdraws an invitation.
func (e *Engine) Withdraw(ctx context.Context, w atelier.Wallet, id string, also ...Also) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteInvitation(w, id); err != nil {
			return err
		}
		return callAll(tx, also...)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("id", id, "invitation")
	}
	return err
}

// Accepted is a membership that has begun, and a key of the new member, which is shown only here.
type Accepted struct {
	Account atelier.Account
	Member  store.Member
	Key     string
}

// Accept makes who has the code of an invitation a person and a member: with a key, because nothing else signs them
// in. Installations with a provider sign people in with an invitation instead.
func (e *Engine) Accept(ctx context.Context, code, name string) (out Accepted, err error) {
	now := e.now()
	if name = strings.Join(strings.Fields(name), " "); !isPersonName(name) {
		return out, atelier.Refuse("name", "must have at most %d printable characters.", maxPersonName)
	}
	key := mint.UUID()
	person := atelier.PersonID(mint.UUID())
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.Invitation(hashText(code), now)
		if err != nil {
			return err
		}
		p := atelier.Person{ID: person, Email: i.Email, Name: i.Name, CreatedAt: now}
		if name != "" {
			p.Name = name
		}
		if err := tx.InsertPerson(p); err != nil {
			return err
		}
		m, err := e.join(tx, i, p)
		if err != nil {
			return err
		}
		if out.Account, err = tx.Account(i.Wallet); err != nil {
			return err
		}
		if out.Account.Suspended() {
			return &atelier.Error{Code: atelier.CodeAccountSuspended}
		}
		k := describeKey(key, p.Called(), now)
		k.Limits.Member = membershipOf(m)
		out.Member, out.Key = m, key
		if err := tx.InsertKey(hashKey(key), i.Wallet, k); err != nil {
			return err
		}
		return e.act(tx, i.Wallet, k.ID, actionAccept, string(person), DescribeMember(m.Role, p.Called()))
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Errorf(atelier.CodeBadCredential, "The invitation is not valid: it is unknown, was accepted or withdrawn, or has expired. Ask for another one.")
	}
	if err != nil {
		return Accepted{}, err
	}
	return out, nil
}

// join makes a person a member as an invitation says, which ends with it. Who is a member already gets what it says.
func (e *Engine) join(tx *store.Tx, i store.Invitation, p atelier.Person) (store.Member, error) {
	if err := tx.LockAccount(i.Wallet); err != nil {
		return store.Member{}, err
	}
	if err := tx.TakeInvitation(i.Hash); err != nil {
		return store.Member{}, err
	}
	return e.putMember(tx, store.Member{Wallet: i.Wallet, Person: p, Role: i.Role, Source: atelier.MemberByInvitation, By: i.By, Budget: i.Budget}, true)
}

// putMember makes a person a member, or gives a member another role. The caller has locked the account.
func (e *Engine) putMember(tx *store.Tx, m store.Member, budget bool) (store.Member, error) {
	now := e.now()
	found, err := tx.Member(m.Wallet, m.Person.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		key := mint.UUID()
		k := describeKey(key, m.Person.Called(), now)
		m.KeyHash, m.Since = hashKey(key), now
		k.Limits = atelier.KeyLimits{Budget: m.Budget, Member: membershipOf(m)}
		if err := tx.InsertKey(m.KeyHash, m.Wallet, k); err != nil {
			return m, err
		}
		return m, tx.InsertMember(m)
	case err != nil:
		return m, err
	}
	if !budget {
		m.Budget = found.Budget
	}
	m.KeyHash, m.Since, m.By = found.KeyHash, found.Since, found.By
	if m.Role == found.Role && m.Source == found.Source && m.Budget == found.Budget {
		return m, nil
	}
	return m, e.setMember(tx, m)
}

// membershipOf is what the keys of a member have from the membership.
func membershipOf(m store.Member) atelier.Membership {
	return atelier.Membership{Person: m.Person.ID, Role: m.Role, KeyID: atelier.KeyID(m.KeyHash), Budgeted: m.Budget != atelier.KeyBudget{}}
}

// setMember writes the role and the budget of a member, and gives the role to all their keys.
func (e *Engine) setMember(tx *store.Tx, m store.Member) error {
	if err := tx.SetRole(m.Wallet, m.Person.ID, m.Role, m.Source); err != nil {
		return err
	}
	if !m.Role.Includes(atelier.RoleOwner) { // what only an owner may give
		if err := tx.DeleteInvitationsBy(m.Wallet, m.Person.ID); err != nil {
			return err
		}
	}
	keys, err := tx.KeysOf(m.Wallet, m.Person.ID)
	if err != nil {
		return err
	}
	for i, k := range keys {
		keys[i].Limits.Member = membershipOf(m)
		if k.Hash == m.KeyHash {
			keys[i].Limits.Budget = m.Budget
		}
	}
	return tx.PutMemberLimits(keys, e.now())
}

// MemberChange changes a member. What is nil stays as it is.
type MemberChange struct {
	Role   *atelier.Role
	Budget *atelier.KeyBudget // zero for none
}

// Describe says what is changed, for the list of actions.
func (q MemberChange) Describe() string {
	switch {
	case q.Role == nil:
		return "budget"
	case q.Budget != nil:
		return string(*q.Role) + ", budget"
	}
	return string(*q.Role)
}

// ChangeMember changes the role or the budget of a member. A role that a group has given is the account's from then
// on: the next sign-in does not change it back.
func (e *Engine) ChangeMember(ctx context.Context, w atelier.Wallet, person atelier.PersonID, q MemberChange, also ...Also) (m store.Member, err error) {
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		if m, err = tx.Member(w, person); err != nil {
			return err
		}
		if q.Role != nil {
			m.Role, m.Source = *q.Role, atelier.MemberByInvitation
		}
		if q.Budget != nil {
			m.Budget = *q.Budget
		}
		if err := checkMembership(m.Role, m.Budget); err != nil {
			return err
		}
		if err := e.setMember(tx, m); err != nil {
			return err
		}
		return callAll(tx, also...)
	})
	return m, noMember(err, person)
}

// RemoveMember ends a membership: all keys of the member in the account, and with them their console sessions, session
// tokens and open streams, on every node. Work under way is finished. It returns how many keys and sessions there were;
// the key of the membership, which is never shown, does not count.
func (e *Engine) RemoveMember(ctx context.Context, w atelier.Wallet, person atelier.PersonID, also ...Also) (m store.Member, keys, sessions int, err error) {
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		if m, err = tx.Member(w, person); err != nil {
			return err
		}
		if err := tx.DeleteInvitationsTo(w, m.Person.Email); err != nil { // the next sign-in would accept them
			return err
		}
		keys, sessions, err = e.endMember(tx, m)
		if err != nil {
			return err
		}
		return callAll(tx, also...)
	})
	return m, keys, sessions, noMember(err, person)
}

// endMember ends a membership of an account that the caller has locked, and the invitations that the member has made:
// who leaves may know their links.
func (e *Engine) endMember(tx *store.Tx, m store.Member) (keys, sessions int, err error) {
	if err := tx.DeleteMember(m.Wallet, m.Person.ID); err != nil {
		return 0, 0, err
	}
	if err := tx.DeleteInvitationsBy(m.Wallet, m.Person.ID); err != nil {
		return 0, 0, err
	}
	k, s, err := tx.EndKeysOf(m.Wallet, m.Person.ID, e.now())
	return int(k) - 1, int(s), err // one is that of the membership
}

func noMember(err error, person atelier.PersonID) error {
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing("id", string(person), "member")
	}
	return err
}

// Person reads who a member is.
func (e *Engine) Person(ctx context.Context, id atelier.PersonID) (p atelier.Person, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		p, err = tx.Person(id)
		return err
	})
	return p, err
}

// DescribeMember is who a member is, for the list of actions.
func DescribeMember(r atelier.Role, name string) string {
	if name == "" {
		return string(r)
	}
	return name + ", " + string(r)
}
