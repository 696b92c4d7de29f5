package store

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// StoredConversation is the chat runs of an account that have the same session.
type StoredConversation struct {
	Session    string
	Title      string
	Runs       int
	LastRun    atelier.RunID
	LastStatus atelier.Status
	CreatedAt  time.Time
	UpdatedAt  time.Time // when its last run was started
	Excerpt    string    // the text around what a search has found in it
}

// ConversationPosition is a place in a list of conversations.
type ConversationPosition struct {
	UpdatedAt time.Time
	Session   string
}

// titleLength is how many characters of what its user asked first a conversation is
// called by.
const titleLength = 80

func titleOf(text string) string {
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > titleLength {
		return string(words[:titleLength-1]) + "…"
	}
	return string(words)
}

// touchConversation adds a new run to its conversation.
func (tx *Tx) touchConversation(r StoredRun) error {
	_, err := tx.Exec(`INSERT INTO conversation (wallet, session, title, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (wallet, session) DO UPDATE SET updated_at = excluded.updated_at`,
		string(r.Wallet), r.Session, titleOf(r.Text), database.Millis(r.CreatedAt))
	return err
}

// How many characters of a message, and of a whole conversation, searches read.
const (
	searchedMessage      = 4 << 10
	searchedConversation = 64 << 10
)

// AddToConversation adds a message to what searches read of a conversation.
func (tx *Tx) AddToConversation(owner atelier.Wallet, session, message string) error {
	if session == "" || message == "" {
		return nil
	}
	said := []rune(withoutNUL(message) + "\n")
	text := string(said[:min(len(said), searchedMessage)])
	_, err := tx.Exec(`INSERT INTO conversation_text (wallet, session, words, said) VALUES ($1, $2, $3, $4)
		ON CONFLICT (wallet, session) DO UPDATE SET words = substr(excluded.words || conversation_text.words, 1, $5),
			said = substr(excluded.said || conversation_text.said, 1, $5)`,
		string(owner), session, strings.ToLower(text), text, searchedConversation)
	return err
}

// mostWords is how many words of a search count: each of them reads everything that was said.
const mostWords = 8

// searchedFor are the words of a search, each once.
func searchedFor(search string) []string {
	words := slices.Compact(slices.Sorted(slices.Values(strings.Fields(withoutNUL(strings.ToLower(search))))))
	return words[:min(len(words), mostWords)]
}

// ofConversation is the condition that a run r belongs to a conversation c.
const ofConversation = `r.wallet = c.wallet AND r.session = c.session AND r.session <> ''`

// How many characters before what a search found are read, and how many of an excerpt in all.
const (
	foundBefore = 40
	foundLength = 160
)

// excerptOf is the line around the first place of a word, which is in lower case. The text may begin within a line.
func excerptOf(text, word string) string {
	at := strings.Index(strings.ToLower(text), word)
	if at < 0 {
		return ""
	}
	at = utf8.RuneCountInString(strings.ToLower(text)[:at])
	said := []rune(text)
	before, after := string(said[:at]), string(said[at:])
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	} else if i := strings.IndexByte(before, ' '); i >= 0 && at == foundBefore {
		before = "…" + before[i+1:]
	}
	line, _, isWhole := strings.Cut(after, "\n")
	if i := strings.LastIndexByte(line, ' '); !isWhole && i > len(word) {
		line = line[:i] + "…"
	}
	return strings.TrimSpace(before + line)
}

func (tx *Tx) conversations(excerpt, tail string, args ...any) (out []StoredConversation, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			c                StoredConversation
			created, updated int64
		)
		err := scan(&c.Session, &c.Title, &c.Runs, &c.LastRun, &c.LastStatus, &created, &updated, &c.Excerpt)
		c.CreatedAt, c.UpdatedAt = database.FromMillis(created), database.FromMillis(updated)
		out = append(out, c)
		return err
	}, `SELECT c.session, c.title, (SELECT COUNT(*) FROM chat_run r WHERE `+ofConversation+`),
		COALESCE((SELECT r.id FROM chat_run r WHERE `+ofConversation+` ORDER BY r.id DESC LIMIT 1), ''),
		COALESCE((SELECT r.status FROM chat_run r WHERE `+ofConversation+` ORDER BY r.id DESC LIMIT 1), ''), c.created_at, c.updated_at, `+excerpt+`
		FROM conversation c `+tail, args...)
	return out, err
}

// Conversations lists the conversations of an account, the one with the newest run first,
// after a position if one is given: those in which each word of a search occurs.
func (tx *Tx) Conversations(owner atelier.Wallet, search string, after *ConversationPosition, limit int) ([]StoredConversation, error) {
	where, args := `c.wallet = $1`, []any{string(owner), limit}
	if after != nil {
		where += ` AND c.updated_at <= $3 AND (c.updated_at < $3 OR c.session < $4)`
		args = append(args, database.Millis(after.UpdatedAt), after.Session)
	}
	excerpt, longest := `''`, ""
	for _, word := range searchedFor(search) {
		args = append(args, word)
		place := func(text string) string { return fmt.Sprintf(`%s(%s, $%d)`, tx.Dialect.Find, text, len(args)) }
		const text = `FROM conversation_text t WHERE t.wallet = c.wallet AND t.session = c.session AND `
		where += ` AND (` + place(`lower(c.title)`) + ` > 0 OR EXISTS (SELECT 1 ` + text + place(`t.words`) + ` > 0))`
		if len(word) > len(longest) {
			longest = word
			excerpt = fmt.Sprintf(`COALESCE((SELECT substr(t.said, CASE WHEN %[1]s > %[2]d THEN %[1]s - %[2]d ELSE 1 END, %[3]d) %[4]s %[1]s > 0), '')`,
				place(`t.words`), foundBefore, foundLength, text)
		}
	}
	out, err := tx.conversations(excerpt, `WHERE `+where+` ORDER BY c.updated_at DESC, c.session DESC LIMIT $2`, args...)
	for i := range out {
		out[i].Excerpt = excerptOf(out[i].Excerpt, longest)
	}
	return out, err
}

// Conversation finds a conversation of an account.
func (tx *Tx) Conversation(owner atelier.Wallet, session string) (StoredConversation, error) {
	found, err := tx.conversations(`''`, `WHERE c.wallet = $1 AND c.session = $2`, string(owner), session)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredConversation{}, err
	}
	return found[0], nil
}

// RunsOfConversation lists the runs of a conversation, the newest first, before the given
// one unless it is empty: at most limit, and fewer when their documents have more than
// the given bytes. More reports whether others follow.
func (tx *Tx) RunsOfConversation(owner atelier.Wallet, session string, before atelier.RunID, limit int, bytes int64) (out []StoredRun, more bool, err error) {
	p := &database.Portion{Limit: limit, Bytes: bytes}
	out, err = tx.someRuns(p, `WHERE wallet = $1 AND session = $2 AND session <> '' AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT $4`,
		string(owner), session, string(before), limit+1)
	return out, p.More, err
}

// RenameConversation changes the title of a conversation of an account.
func (tx *Tx) RenameConversation(owner atelier.Wallet, session, title string) error {
	if err := tx.Must(`UPDATE conversation SET title = $3 WHERE wallet = $1 AND session = $2`, string(owner), session, title); err != nil {
		return err
	}
	return tx.AddToConversation(owner, session, title)
}

// ConversationRuns lists the ids of the oldest runs of a conversation, at most limit, and
// counts the runs of it that are not over.
func (tx *Tx) ConversationRuns(owner atelier.Wallet, session string, limit int) (ids []atelier.RunID, open int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM chat_run WHERE wallet = $1 AND session = $2 AND session <> '' AND status IN ('queued', 'running', 'waiting_for_user')`,
		string(owner), session).Scan(&open)
	if err != nil {
		return nil, 0, err
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var id atelier.RunID
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM chat_run WHERE wallet = $1 AND session = $2 AND session <> '' ORDER BY id LIMIT $3`, string(owner), session, limit)
	return ids, open, err
}
