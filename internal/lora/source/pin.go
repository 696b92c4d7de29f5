package source

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// Pin names exactly one file of a site permanently. It survives as JSON.
type Pin struct {
	Provider  string `json:"provider"`            // huggingface or civitai
	Source    string `json:"source"`              // the public link that is shown to users
	Version   string `json:"version"`             // the commit, or the id of the version
	Path      string `json:"path"`                // of the file at the site, with its query: what is requested
	Bytes     int64  `json:"bytes,omitempty"`     // as the site declares; zero when it does not
	SHA256    string `json:"sha256,omitempty"`    // as the site declares, in lower case; empty when it does not
	Creator   string `json:"creator,omitempty"`   // empty when unknown
	ModelName string `json:"modelName,omitempty"` // empty when unknown
}

// Resolve asks the site which file a link means now.
func (s *Sources) Resolve(ctx context.Context, l Link) (Pin, error) {
	at := s.sites[l.Host]
	if at == nil || at.Kind != l.Provider {
		return Pin{}, notConfigured(l.Host)
	}
	var p Pin
	var err error
	if at.Kind == HuggingFace {
		p, err = at.resolveHub(ctx, l)
	} else {
		p, err = at.resolveCivitai(ctx, l)
	}
	if err != nil {
		return Pin{}, err
	}
	if p.Bytes > at.opts.MaxBytes {
		return Pin{}, at.tooLarge()
	}
	return p, nil
}

func notConfigured(host string) *Error {
	return fail(Access, "Files of %s are not imported here.", show(host))
}

// siteOf returns the site that a file was found on.
func (s *Sources) siteOf(p Pin) (*site, error) {
	u, err := url.Parse(p.Source)
	if err != nil {
		return nil, notConfigured("")
	}
	at := s.sites[u.Host]
	if at == nil || at.Kind != p.Provider || !strings.HasPrefix(p.Path, "/") {
		return nil, notConfigured(u.Host)
	}
	return at, nil
}

// maxLabel is how many characters of a name are kept.
const maxLabel = 200

// label makes a name that a site gives fit to be stored and shown.
func label(text string) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text))
	if runes := []rune(text); len(runes) > maxLabel {
		text = string(runes[:maxLabel])
	}
	return text
}

var hexSHA256 = regexp.MustCompile(`^[0-9a-f]{64}$`)

// checksum normalises a SHA-256 that a site declares.
func checksum(text string) string {
	if text = strings.ToLower(text); hexSHA256.MatchString(text) {
		return text
	}
	return ""
}
