package replay

import (
	"strings"

	"github.com/atelier-project/atelier"
)

// mark stands in place of what was redacted.
const mark = "[redacted]"

// redactText removes the credentials from a text. It reads the text once from left to right,
// apart from PEM blocks: a rule that looks ahead either redacts what it has seen, or notes
// that nothing is to be found there, or looks a fixed number of bytes ahead.
func redactText(s string) string {
	s = redactPEM(s)
	var (
		r    = rules{text: s}
		out  []byte
		done int // how much of s is in out
	)
	for i := 0; i < len(s); i++ {
		start, end := r.find(i)
		if start == end || s[start:end] == mark {
			continue
		}
		out = append(append(out, s[done:start]...), mark...)
		done, i = end, end-1
	}
	if out == nil {
		return s
	}
	return string(append(out, s[done:]...))
}

// rules find the credentials in a text.
type rules struct {
	text    string
	noJWT   int // no JWT begins before it
	noQuery int // no signed query begins before it
	key     int // where an API key begins, when it is ahead
}

// find returns the range of a credential that is recognized at a position; it is empty when
// no credential is there.
func (r *rules) find(i int) (start, end int) {
	if r.key == i && i > 0 {
		return i, i + uuidLen
	}
	switch r.text[i] {
	case 'e':
		return r.jwt(i)
	case 'b', 'B':
		return r.bearer(i)
	case 'k', 'K':
		r.seekKey(i)
	case '?', '#':
		return r.query(i)
	case ':', '=':
		return r.value(i)
	}
	return i, i
}

// jwt finds a JWT: parts in base64url, of which the first is JSON.
func (r *rules) jwt(i int) (int, int) {
	if i < r.noJWT || !strings.HasPrefix(r.text[i:], "eyJ") {
		return i, i
	}
	end := i
	for end < len(r.text) && (isNameByte(r.text[end]) || r.text[end] == '.') {
		end++
	}
	if !strings.Contains(strings.TrimRight(r.text[i:end], "."), ".") {
		r.noJWT = end
		return i, i
	}
	return i, end
}

// bearer finds the token after the word Bearer.
func (r *rules) bearer(i int) (int, int) {
	const word = "bearer"
	if len(r.text)-i <= len(word) || !strings.EqualFold(r.text[i:i+len(word)], word) {
		return i, i
	}
	start := i + len(word)
	for start < len(r.text) {
		if strings.HasPrefix(r.text[start:], "%20") {
			start += 3
		} else if c := r.text[start]; c == ' ' || c == '\t' {
			start++
		} else {
			break
		}
	}
	if start == i+len(word) {
		return i, i
	}
	end := start
	for end < len(r.text) && (isNameByte(r.text[end]) || strings.IndexByte(".~+/=", r.text[end]) >= 0) {
		end++
	}
	if isShortWord(r.text[start:end]) {
		return i, i
	}
	return start, end
}

// isShortWord reports whether a text is a word such as those of "the ring bearer in the
// snow", which no token is as short and simple as.
func isShortWord(s string) bool {
	return len(s) < 5 && strings.IndexFunc(s, func(c rune) bool { return c < 'a' || c > 'z' }) < 0
}

const (
	uuidLen = 36
	keyGap  = 24 // how far behind its name an API key may begin
)

// seekKey looks for an API key of this service, a UUID, behind its name.
func (r *rules) seekKey(i int) {
	before := strings.TrimRight(r.text[max(0, i-4):i], "-_ ")
	if !hasSuffixFold(before, "api") || len(r.text)-i < 3 || !strings.EqualFold(r.text[i:i+3], "key") {
		return
	}
	for at := i + 3; at <= i+3+keyGap && at+uuidLen <= len(r.text); at++ {
		rest := r.text[at+uuidLen:]
		switch {
		case strings.HasPrefix(r.text[at:], mark):
			return
		case r.text[at+8] != '-' || !atelier.IsUUID(strings.ToLower(r.text[at:at+uuidLen])):
		case rest == "" || !isNameByte(rest[0]) && !strings.HasPrefix(rest, mark):
			r.key = at
			return
		}
	}
}

// query finds the query or fragment of a signed URL, without the character that it begins
// with.
func (r *rules) query(i int) (int, int) {
	if i < r.noQuery {
		return i, i
	}
	end := urlEnd(r.text, i+1)
	if !isSigned(r.text[i:end]) {
		r.noQuery = end
		return i, i
	}
	return i + 1, end
}

// urlEnd is where a URL ends. A URL may be part of JSON or Markdown that is itself in a
// string.
func urlEnd(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '<', '>', '`', 0x7f:
			return i
		case '\\': // an escaped character, such as \u0026 for &
			if i+1 == len(s) || s[i+1] <= ' ' || strings.IndexByte(`"nrt`, s[i+1]) >= 0 {
				return i
			}
			i++
		case ')', ']', '}', '\'':
			if i+1 == len(s) || !isNameByte(s[i+1]) && strings.IndexByte("&;=%", s[i+1]) < 0 {
				return i
			}
		default:
			if c <= ' ' {
				return i
			}
		}
	}
	return len(s)
}

// isSigned reports whether a query has a parameter of a signature.
func isSigned(query string) bool {
	for i := range len(query) {
		if query[i] != '=' && !hasPrefixFold(query[i:], "%3d") {
			continue
		}
		name := nameBefore(query, i)
		if name == "" {
			continue
		}
		name = plainName(name)
		if signing[name] || strings.HasPrefix(name, "xamz") || strings.HasPrefix(name, "xgoog") || isSecretPlain(name) {
			return true
		}
	}
	return false
}

// signing are parameters of signed URLs.
var signing = map[string]bool{
	"signature": true, "sig": true, "sign": true, "hmac": true, "expires": true, "expiry": true, "exp": true, "policy": true, "keypairid": true, "auth": true,
}

// value finds the value behind a name of a credential, such as password: in a text that holds
// JSON, headers, settings or command lines.
func (r *rules) value(i int) (int, int) {
	s := r.text
	name := nameOf(s, i)
	if !isSecretPlain(name) {
		return i, i
	}
	start := i + 1
	for start < len(s) && strings.IndexByte(" \t:=>", s[start]) >= 0 {
		start++
	}
	opening := start
	for opening < len(s) && s[opening] == '\\' {
		opening++
	}
	if opening < len(s) && strings.IndexByte("\"'`", s[opening]) >= 0 {
		return opening + 1, closingQuote(s, opening+1, s[opening], opening-start)
	}
	end := bareEnd(s, start, strings.HasSuffix(name, "authorization"))
	switch word := s[start:end]; {
	case word == "null", word == "true", word == "false":
		return i, i
	case strings.EqualFold(word, "bearer"), strings.EqualFold(word, "basic"), strings.EqualFold(word, "token"):
		if end < len(s) && s[end] == ' ' {
			if next := bareEnd(s, end+1, false); next > end+1 {
				end = next
			}
		}
	}
	return start, end
}

// nameOf is the plain form of the name that a separator follows, quoted or not.
func nameOf(s string, i int) string {
	for range 4 {
		if i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
			i--
		}
	}
	if i > 0 && (s[i-1] == '"' || s[i-1] == '\'') {
		for i--; i > 0 && s[i-1] == '\\'; i-- {
		}
	}
	name := nameBefore(s, i)
	if name == "" {
		return ""
	}
	before := s[:i-len(name)]
	if strings.EqualFold(name, "key") && hasSuffixFold(before, "api ") {
		return "apikey"
	}
	plain := plainName(name)
	if strings.HasSuffix(before, `\`) && !isSecretPlain(plain) && plain != "" {
		return plain[1:] // without the letter of an escape, such as that of a new line
	}
	return plain
}

// maxName is the longest name that is looked at.
const maxName = 48

// nameBefore is the name that ends at a position, without what is left of an escaped separator
// before it.
func nameBefore(s string, end int) string {
	start := end
	for start > 0 && end-start < maxName && isNameByte(s[start-1]) {
		start--
	}
	name := s[start:end]
	for _, escaped := range []string{`\u0026`, "%26", "%3F", "%3f"} { // & and ?
		if start > 0 && s[start-1] == escaped[0] && strings.HasPrefix(name, escaped[1:]) {
			return name[len(escaped)-1:]
		}
	}
	return name
}

// closingQuote finds the quote that ends a value, with as many backslashes before it as the
// opening one has, or the end of the text.
func closingQuote(s string, i int, quote byte, escapes int) int {
	for slashes := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			slashes++
			continue
		case s[i] == quote && slashes == escapes:
			return i - escapes
		}
		slashes = 0
	}
	return len(s)
}

// bareEnd is the end of a value without quotes: of a word, or of a line.
func bareEnd(s string, i int, line bool) int {
	stop := ",;&<>)} \t"
	if line {
		stop = ""
	}
	if i < len(s) && s[i] == '[' {
		if closing := strings.IndexAny(s[i:], "]\n"); closing >= 0 {
			i += closing
		} else {
			i = len(s)
		}
	} else if i < len(s) && s[i] == '{' {
		return i // the names inside it decide
	}
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n', c == '\r', c == '"', c == '\'', c == '`', strings.IndexByte(stop, c) >= 0:
			return i
		case c == '\\' && i+1 < len(s) && strings.IndexByte(`"'nrt`, s[i+1]) >= 0:
			return i
		}
	}
	return i
}

// isSecretName reports whether the values of a name are credentials.
func isSecretName(name string) bool {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	plain := plainName(name)
	return plain == "signature" || isSecretPlain(plain)
}

// isSecretPlain is isSecretName for a plain name, without signature, which in a text may be
// that of a piece of music.
func isSecretPlain(name string) bool {
	switch name {
	case "token", "bearer", "xamzsignature", "xamzsecuritytoken":
		return true
	}
	for _, end := range []string{"authorization", "apikey", "password", "secret", "accesstoken", "refreshtoken"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// plainName is a name in lower case without separators.
func plainName(name string) string {
	plain := make([]byte, 0, maxName)
	for _, c := range []byte(name) {
		switch {
		case c == '-' || c == '_' || c == ' ':
		case 'A' <= c && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		default:
			plain = append(plain, c)
		}
	}
	return string(plain)
}

// redactPEM removes PEM blocks. One without an end is removed up to the end of the text, and
// one without a beginning from the first line that looks like it.
func redactPEM(s string) string {
	const dashes, begin, finish = "-----", "-----BEGIN ", "-----END "
	var out []byte
	done := 0
	for i := 0; ; i++ {
		next := strings.Index(s[i:], dashes)
		if next < 0 {
			break
		}
		i += next
		start, end := i, i
		switch {
		case strings.HasPrefix(s[i:], begin):
			if end = strings.Index(s[i:], finish); end < 0 {
				end = len(s)
			} else {
				end = labelEnd(s, i+end+len(finish))
			}
		case strings.HasPrefix(s[i:], finish):
			for start > done && (isNameByte(s[start-1]) || strings.IndexByte("+/=\\\r\n", s[start-1]) >= 0) {
				start--
			}
			end = labelEnd(s, i+len(finish))
		default:
			continue
		}
		out = append(append(out, s[done:start]...), mark...)
		done, i = end, end-1
	}
	if out == nil {
		return s
	}
	return string(append(out, s[done:]...))
}

// labelEnd is where the last line of a PEM block ends.
func labelEnd(s string, i int) int {
	for i < len(s) && ('A' <= s[i] && s[i] <= 'Z' || '0' <= s[i] && s[i] <= '9' || s[i] == ' ') {
		i++
	}
	for range len("-----") { // no more: the next block may follow at once
		if i < len(s) && s[i] == '-' {
			i++
		}
	}
	return i
}

// isNameByte reports whether a byte may be part of a name, and of base64url.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
