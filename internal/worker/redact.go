package worker

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// hidden stands for what Redact leaves out.
const hidden = "(hidden)"

// The forms in which programs write paths and addresses. Each is a whole alternative, and the
// leftmost match wins, so that an address is not read as a path.
var private = regexp.MustCompile(strings.Join([]string{
	`(?P<url>[A-Za-z][A-Za-z0-9+.-]*:(?://|\\/\\/|/{3})[^\s"'<>]*)`,
	// A path to its closing quote, which may have spaces. Python doubles backslashes.
	`(?P<quoted>"` + rooted + `[^"\n]*(?:"|$|\n)|'` + rooted + `[^'\n]*(?:'|$|\n)|` + "`" + rooted + "[^`\\n]*(?:`|$|\\n))",
	`(?P<encoded>[A-Za-z0-9._~:%+-]*%(?:2[Ff]|5[Cc])[^\s"'<>]*)`,
	`(?P<windows>(?:\b[A-Za-z]:[\\/]+|\\\\+|%[A-Za-z_()]+%[\\/]+)[^\s"'<>|*?]*(?: [^\s"'\\/]+\\[^\s"'<>|]*)*)`,
	`(?P<home>~[A-Za-z0-9._-]*/[^\s"'<>]*)`,
	`(?P<unix>/[^\s"'<>]*(?: [^\s"'/]+/[^\s"'<>]*)*)`,
	`(?P<user>[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9._-]*(?::[^\s"'<>]*)?)`,
	`(?P<host>(?i:\b(?:host|hostname|server|peer|addr|address)=)(?:'[^']*'|"[^"]*"|[^\s,;)]+))`,
	`(?P<port>\b[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.?:[0-9]{4,5}\b|\blocalhost\b(?::[0-9]{1,5})?|\b(?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*:[0-9]{2,3}\b)`,
	`(?P<local>\b[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?i:local|lan|internal|intranet|localdomain|home\.arpa|corp)\b)`,
	`(?P<ip>\[?[0-9A-Za-z:._-]*[:.][0-9A-Za-z:._%-]*(?:\](?::[0-9]{1,5})?)?)`,
}, "|"))

// rooted is the beginning of a path that begins at the root of a machine.
const rooted = `(?:/|~[A-Za-z0-9._-]*/|[A-Za-z]:[\\/]|\\\\|%[A-Za-z_()]+%[\\/])`

// Redact leaves paths and addresses of the worker's machine out of a text that customers
// read: paths from the root or a home on any system, addresses of servers, and names of hosts
// with ports, also quoted, percent-encoded and inside of tracebacks. What is relative, such as
// models/vae, stays. It is applied to everything that a worker reports; the log has the text
// whole.
func Redact(text string) string {
	var out strings.Builder
	at := 0
	for at < len(text) {
		m := private.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		from, to := at+m[0], at+m[1]
		kind := kindOf(m)
		found := text[from:to]
		keep, tail := keeps(kind, text[:from], found)
		out.WriteString(text[at:from])
		switch {
		case keep > 0:
			out.WriteString(found[:keep])
			at = from + keep
			continue
		case kind == "quoted":
			end := found[:1]
			if found[len(found)-1] == '\n' {
				end = "\n"
			}
			out.WriteString(found[:1] + hidden + end)
		default:
			out.WriteString(hidden + tail)
		}
		at = to
	}
	out.WriteString(text[at:])
	return out.String()
}

// kindOf is the name of the alternative that matched.
func kindOf(match []int) string {
	for i, name := range private.SubexpNames() {
		if name != "" && match[2*i] >= 0 {
			return name
		}
	}
	return ""
}

// keeps is how much of a match may be read after all; 0 is nothing. tail is what follows it in
// the sentence, and is kept beside what is hidden.
func keeps(kind, before, found string) (keep int, tail string) {
	trimmed := strings.TrimRight(found, ".,;:!?)]}")
	tail = found[len(trimmed):]
	switch kind {
	case "url":
		if isPublished(trimmed) {
			return len(trimmed), ""
		}
	case "unix":
		if !isAbsolute(before, trimmed) {
			return 1, "" // the slash of "either/or"; what follows it is read again
		}
	case "ip":
		address := strings.TrimRight(found, ".,;:")
		tail = found[len(address):]
		if !isAddress(before, address) {
			return strings.IndexAny(found, ":.") + 1, ""
		}
	case "windows":
		if strings.HasPrefix(found, `\`) && strings.Trim(found, `\`) == "" {
			return len(found), ""
		}
	}
	return 0, tail
}

// isAbsolute reports whether what begins with a slash is a path of the machine. Not one are the
// slash within a word, and the path of a request to ComfyUI.
func isAbsolute(before, path string) bool {
	if strings.Trim(path, "/") == "" {
		return false
	}
	if before == "" {
		return true
	}
	if last := before[len(before)-1]; isWord(last) || last == '_' || last == '.' {
		return false
	}
	isRequest := slices.ContainsFunc([]string{"GET ", "POST ", "answered ", " to "}, func(s string) bool { return strings.HasSuffix(before, s) })
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return !isRequest || !slices.Contains(routes, first)
}

// routes are the first parts of the paths that workers ask servers for.
var routes = []string{"prompt", "queue", "history", "upload", "view", "models", "object_info", "system_stats", "interrupt", "free", "ws", "v1", "images"}

// isAddress reports whether a text is an IP address, with or without a port.
func isAddress(before, text string) bool {
	if before != "" && (before[len(before)-1] == '_' || isWord(before[len(before)-1])) {
		return false // such as the colons of c10::Error
	}
	if _, err := netip.ParseAddrPort(text); err == nil {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return err == nil && (a.Is4() || len(text) > 2)
}

func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// publishers are the sites where people get models: messages about a missing file name them.
var publishers = []string{"huggingface.co", "civitai.com", "github.com", "modelscope.cn"}

// isPublished reports whether an address is one of a public page about models.
func isPublished(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.User == nil && u.RawQuery == "" && slices.Contains(publishers, strings.TrimPrefix(u.Host, "www."))
}
