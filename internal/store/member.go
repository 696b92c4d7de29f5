package store

import (
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// InsertPerson adds a person.
func (tx *Tx) InsertPerson(p atelier.Person) error {
	_, err := tx.Exec(`INSERT INTO person (id, email, name, created_at, signed_in_at) VALUES ($1, $2, $3, $4, $5)`,
		string(p.ID), p.Email, p.Name, database.Millis(p.CreatedAt), database.Millis(p.SignedInAt))
	return err
}

const personColumns = `p.id, p.email, p.name, p.created_at, p.signed_in_at`

func scanPerson(scan func(...any) error, p *atelier.Person, more ...any) error {
	var created, signedIn int64
	err := scan(append([]any{&p.ID, &p.Email, &p.Name, &created, &signedIn}, more...)...)
	p.CreatedAt, p.SignedInAt = database.FromMillis(created), database.FromMillis(signedIn)
	return err
}

// Person reads a person.
func (tx *Tx) Person(id atelier.PersonID) (p atelier.Person, err error) {
	err = scanPerson(tx.Row(`SELECT `+personColumns+` FROM person p WHERE p.id = $1`, string(id)).Scan, &p)
	return p, err
}

// LockPerson makes other changes that lock the same person wait until this one ends.
func (tx *Tx) LockPerson(id atelier.PersonID) error {
	if tx.Dialect.ForUpdate == "" {
		return nil
	}
	return tx.Row(`SELECT id FROM person WHERE id = $1`+tx.Dialect.ForUpdate, string(id)).Scan(new(string))
}

// PersonOf finds who has an identity of a provider.
func (tx *Tx) PersonOf(issuer, subject string) (p atelier.Person, err error) {
	err = scanPerson(tx.Row(`SELECT `+personColumns+` FROM person p WHERE p.id = (SELECT i.person FROM identity i WHERE i.issuer = $1 AND i.subject = $2)`,
		issuer, subject).Scan, &p)
	return p, err
}

// InsertIdentity records which identity of a provider is a person's. It reports false when it is
// that of another person.
func (tx *Tx) InsertIdentity(issuer, subject string, person atelier.PersonID, at time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO identity (issuer, subject, person, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (issuer, subject) DO NOTHING`,
		issuer, subject, string(person), database.Millis(at))
	return n == 1, err
}

// IssuerOf is the issuer of a person's identity; empty for who has none.
func (tx *Tx) IssuerOf(person atelier.PersonID) (issuer string, err error) {
	err = tx.Row(`SELECT COALESCE((SELECT MIN(i.issuer) FROM identity i WHERE i.person = $1), '')`, string(person)).Scan(&issuer)
	return issuer, err
}

// PersonSignedIn records that a person has signed in with a provider, and what it says of them.
func (tx *Tx) PersonSignedIn(p atelier.Person) error {
	return tx.Must(`UPDATE person SET email = $2, name = $3, signed_in_at = $4 WHERE id = $1`, string(p.ID), p.Email, p.Name, database.Millis(p.SignedInAt))
}

// Member is a member of an account.
type Member struct {
	Wallet  atelier.Wallet
	Person  atelier.Person
	Role    atelier.Role
	Source  atelier.MemberSource
	Since   time.Time
	By      atelier.PersonID // who has added them; empty for the account itself, an operator and a provider
	KeyHash string           // of the key of the membership
	Budget  atelier.KeyBudget
}

// InsertMember makes a person a member. ErrExists means that they are one.
func (tx *Tx) InsertMember(m Member) error {
	_, err := tx.Exec(`INSERT INTO member (wallet, person, role, source, since, added_by, key_hash) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(m.Wallet), string(m.Person.ID), string(m.Role), string(m.Source), database.Millis(m.Since), string(m.By), m.KeyHash)
	return err
}

// Members lists the members of an account, those who have been for longest first.
func (tx *Tx) Members(w atelier.Wallet) ([]Member, error) {
	return tx.members(`WHERE m.wallet = $1 ORDER BY m.since, m.person`, string(w))
}

// Memberships lists what accounts a person is a member of.
func (tx *Tx) Memberships(p atelier.PersonID) ([]Member, error) {
	return tx.members(`WHERE m.person = $1 ORDER BY m.since, m.wallet`, string(p))
}

// Member finds a member of an account.
func (tx *Tx) Member(w atelier.Wallet, p atelier.PersonID) (Member, error) {
	found, err := tx.members(`WHERE m.wallet = $1 AND m.person = $2`, string(w), string(p))
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Member{}, err
	}
	return found[0], nil
}

func (tx *Tx) members(where string, args ...any) (list []Member, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			m     Member
			since int64
			text  string
		)
		if err := scanPerson(scan, &m.Person, &m.Wallet, &m.Role, &m.Source, &since, &m.By, &m.KeyHash, &text); err != nil {
			return err
		}
		limits, err := decodeLimits(text)
		if err != nil {
			return err
		}
		if limits != nil {
			m.Budget = limits.Budget
		}
		m.Since = database.FromMillis(since)
		list = append(list, m)
		return nil
	}, `SELECT `+personColumns+`, m.wallet, m.role, m.source, m.since, m.added_by, m.key_hash, (SELECT k.limits FROM api_key k WHERE k.hash = m.key_hash)
		FROM member m JOIN person p ON p.id = m.person `+where, args...)
	return list, err
}

// SetRole changes the role of a member and what has given it. The caller changes the limits of their keys too.
func (tx *Tx) SetRole(w atelier.Wallet, p atelier.PersonID, r atelier.Role, s atelier.MemberSource) error {
	return tx.Must(`UPDATE member SET role = $3, source = $4 WHERE wallet = $1 AND person = $2`, string(w), string(p), string(r), string(s))
}

// DeleteMember ends a membership. ErrNotFound means that it does not exist.
func (tx *Tx) DeleteMember(w atelier.Wallet, p atelier.PersonID) error {
	return tx.Must(`DELETE FROM member WHERE wallet = $1 AND person = $2`, string(w), string(p))
}

// KeysOf lists the valid keys of a member of an account, that of the membership too.
func (tx *Tx) KeysOf(w atelier.Wallet, p atelier.PersonID) ([]StoredKey, error) {
	return tx.keys(`WHERE wallet = $1 AND person = $2 AND person <> '' AND revoked_at = 0 ORDER BY hash`, string(w), string(p))
}

// EndKeysOf revokes all keys of a member of an account, and ends their console sessions. It returns how many there
// were.
func (tx *Tx) EndKeysOf(w atelier.Wallet, p atelier.PersonID, at time.Time) (keys, sessions int64, err error) {
	sessions, err = tx.Exec(`DELETE FROM console_session WHERE key_hash IN (SELECT k.hash FROM api_key k WHERE k.wallet = $1 AND k.person = $2 AND k.person <> '')`, string(w), string(p))
	if err != nil {
		return 0, 0, err
	}
	keys, err = tx.Exec(`UPDATE api_key SET revoked_at = $3 WHERE wallet = $1 AND person = $2 AND person <> '' AND revoked_at = 0`, string(w), string(p), database.Millis(at))
	tx.noteCredentialChange()
	return keys, sessions, err
}

// PutMemberLimits writes the limits of keys of a member, that of the membership among them. The caller has locked the
// account.
func (tx *Tx) PutMemberLimits(keys []StoredKey, now time.Time) error {
	for _, k := range keys {
		text, err := encodeLimits(k.Limits)
		if err != nil {
			return err
		}
		if err := tx.Must(`UPDATE api_key SET limits = $2 WHERE hash = $1 AND revoked_at = 0`, k.Hash, text); err != nil {
			return err
		}
		if !k.IsMembership() {
			continue
		}
		if err := tx.putKeyBudget(k.Hash, k.Limits.Budget, now); err != nil {
			return err
		}
	}
	tx.noteCredentialChange()
	return nil
}

// Invitation is an invitation that was not accepted yet.
type Invitation struct {
	Hash      string // of its code
	ID        string
	Wallet    atelier.Wallet
	Email     string // in lower case; empty for the person who has the link
	Name      string
	Role      atelier.Role
	Budget    atelier.KeyBudget
	By        atelier.PersonID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// InsertInvitation adds an invitation.
func (tx *Tx) InsertInvitation(i Invitation) error {
	limits, err := encodeLimits(atelier.KeyLimits{Budget: i.Budget})
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO invitation (hash, id, wallet, email, name, role, limits, created_by, created_at, expires_at) VALUES (`+database.Marks(1, 10)+`)`,
		i.Hash, i.ID, string(i.Wallet), i.Email, i.Name, string(i.Role), limits, string(i.By), database.Millis(i.CreatedAt), database.Millis(i.ExpiresAt))
	return err
}

// Invitations lists the invitations of an account that have not expired, oldest first.
func (tx *Tx) Invitations(w atelier.Wallet, now time.Time) ([]Invitation, error) {
	return tx.invitations(`WHERE wallet = $1 AND expires_at > $2 ORDER BY created_at, hash`, string(w), database.Millis(now))
}

// InvitationsTo lists the invitations of an e-mail, in lower case, that have not expired.
func (tx *Tx) InvitationsTo(email string, now time.Time) ([]Invitation, error) {
	return tx.invitations(`WHERE email = $1 AND email <> '' AND expires_at > $2 ORDER BY wallet, created_at, hash`, email, database.Millis(now))
}

// Invitation finds an invitation that has not expired by the hash of its code.
func (tx *Tx) Invitation(hash string, now time.Time) (Invitation, error) {
	found, err := tx.invitations(`WHERE hash = $1 AND expires_at > $2`, hash, database.Millis(now))
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Invitation{}, err
	}
	return found[0], nil
}

func (tx *Tx) invitations(where string, args ...any) (list []Invitation, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			i                Invitation
			created, expires int64
			text             string
		)
		if err := scan(&i.Hash, &i.ID, &i.Wallet, &i.Email, &i.Name, &i.Role, &text, &i.By, &created, &expires); err != nil {
			return err
		}
		limits, err := decodeLimits(text)
		if err != nil {
			return err
		}
		if limits != nil {
			i.Budget = limits.Budget
		}
		i.CreatedAt, i.ExpiresAt = database.FromMillis(created), database.FromMillis(expires)
		list = append(list, i)
		return nil
	}, `SELECT hash, id, wallet, email, name, role, limits, created_by, created_at, expires_at FROM invitation `+where, args...)
	return list, err
}

// TakeInvitation removes an invitation that is accepted. ErrNotFound means that another person has accepted it, or that
// it was withdrawn.
func (tx *Tx) TakeInvitation(hash string) error {
	return tx.Must(`DELETE FROM invitation WHERE hash = $1`, hash)
}

// DeleteInvitation withdraws an invitation of an account.
func (tx *Tx) DeleteInvitation(w atelier.Wallet, id string) error {
	return tx.Must(`DELETE FROM invitation WHERE wallet = $1 AND id = $2`, string(w), id)
}

// DeleteInvitationsBy withdraws the invitations of an account that a member has made.
func (tx *Tx) DeleteInvitationsBy(w atelier.Wallet, p atelier.PersonID) error {
	_, err := tx.Exec(`DELETE FROM invitation WHERE wallet = $1 AND created_by = $2 AND created_by <> ''`, string(w), string(p))
	return err
}

// DeleteInvitationsTo withdraws the invitations of an account to an e-mail, in lower case.
func (tx *Tx) DeleteInvitationsTo(w atelier.Wallet, email string) error {
	_, err := tx.Exec(`DELETE FROM invitation WHERE wallet = $1 AND email = $2 AND email <> ''`, string(w), email)
	return err
}

// DeleteExpiredInvitations removes the invitations of an account that have expired.
func (tx *Tx) DeleteExpiredInvitations(w atelier.Wallet, now time.Time) error {
	_, err := tx.Exec(`DELETE FROM invitation WHERE wallet = $1 AND expires_at <= $2`, string(w), database.Millis(now))
	return err
}

// ListedSession is an open console session, and the key that it acts with.
type ListedSession struct {
	ConsoleSession
	KeyName string
	Limits  atelier.KeyLimits
}

// ConsoleSessions lists the open sessions of an account: those that were used since a time, the latest first.
func (tx *Tx) ConsoleSessions(w atelier.Wallet, since time.Time) (list []ListedSession, err error) {
	keys, err := tx.Keys(w)
	if err != nil {
		return nil, err
	}
	byHash := map[string]StoredKey{}
	for _, k := range keys {
		byHash[k.Hash] = k
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var s ListedSession
		var created, used int64
		err := scan(&s.TokenHash, &s.KeyHash, &created, &used)
		s.CreatedAt, s.UsedAt = database.FromMillis(created), database.FromMillis(used)
		s.KeyName, s.Limits = byHash[s.KeyHash].Name, byHash[s.KeyHash].Limits
		list = append(list, s)
		return err
	}, `SELECT token_hash, key_hash, created_at, used_at`+openSessions+` ORDER BY used_at DESC, token_hash`, string(w), "", database.Millis(since))
	return list, err
}

// KeyPersons reads whose keys these are, by their ids: what the members of an account are called who have made or used
// them, also of those who were removed.
func (tx *Tx) KeyPersons(w atelier.Wallet, ids []string) (map[string]atelier.Person, error) {
	out := map[string]atelier.Person{}
	ids = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(ids))), func(id string) bool { return id == "" })
	if len(ids) == 0 {
		return out, nil
	}
	list := padded(ids)
	err := tx.Rows(func(scan func(...any) error) error {
		var id string
		var p atelier.Person
		err := scanPerson(scan, &p, &id)
		out[id] = p
		return err
	}, `SELECT `+personColumns+`, SUBSTR(k.hash, 1, 32) FROM api_key k JOIN person p ON p.id = k.person
		WHERE k.wallet = $1 AND k.person <> '' AND SUBSTR(k.hash, 1, 32) IN (`+database.Marks(2, len(list))+`)`, append([]any{string(w)}, list...)...)
	return out, err
}
