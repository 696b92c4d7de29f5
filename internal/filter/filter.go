package filter

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Verdict is the result of the filter for a request.
type Verdict struct {
	Flagged    bool
	Categories []string // sorted; such as sexual, sexual/minors, violence/graphic, hate, self-harm, illicit
}

// Options configures a Filter. The zero value uses only the built-in lexicon.
type Options struct {
	Endpoint  string            // base URL of an OpenAI-compatible server, such as https://host/v1; empty for none
	APIKey    string            // sent to it as a bearer token; empty for none
	Model     string            // the moderation model to ask for; empty for the server's own choice
	Timeout   time.Duration     // how long the server may take over one Check, retry included; 0 for 5 seconds
	Transport http.RoundTripper // nil for http.DefaultTransport
}

// Filter checks texts. It is safe for concurrent use.
type Filter struct {
	lex    *lexicon
	server *server // nil without an endpoint
}

// New makes a Filter. It refuses an endpoint that is malformed.
func New(o Options) (*Filter, error) {
	lex, err := load()
	if err != nil {
		return nil, err
	}
	f := &Filter{lex: lex}
	if o.Endpoint != "" {
		if f.server, err = newServer(o); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// WithoutServer is a filter with the same words that asks no server.
func (f *Filter) WithoutServer() *Filter { return &Filter{lex: f.lex} }

// walkers are reused for the next check.
var walkers = sync.Pool{New: func() any { return new(walker) }}

// Check says whether any of the texts asks for content that the service does not make.
// Each is judged alone: put what is rendered together into one text, and leave out texts
// that say what must not be in a picture.
//
// An error means that the verdict is unknown, because the server did not answer. The
// caller must not treat the texts as clean.
func (f *Filter) Check(ctx context.Context, texts ...string) (Verdict, error) {
	if err := ctx.Err(); err != nil {
		return Verdict{}, err
	}
	if found := f.scanTexts(texts); found != 0 {
		return f.verdict(found), nil
	}
	if f.server == nil {
		return Verdict{}, nil
	}
	asked := make([]string, 0, len(texts))
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			asked = append(asked, strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	if len(asked) == 0 {
		return Verdict{}, nil
	}
	return f.server.ask(ctx, asked)
}

// scanTexts reads the texts with the built-in lexicon.
func (f *Filter) scanTexts(texts []string) (found roles) {
	w := walkers.Get().(*walker)
	w.lex, w.fold, w.twin = f.lex, f.lex.fold, f.lex.twin
	for _, text := range texts {
		w.scan(text)
		w.walk()
		found |= w.judge()
	}
	if cap(w.chars) <= mostKept {
		walkers.Put(w)
	}
	return found
}

// mostKept is the longest text whose buffers are kept.
const mostKept = 1 << 16

func (f *Filter) verdict(found roles) Verdict {
	names := make(map[string]bool)
	for _, name := range f.lex.rules.names {
		if found&f.lex.rules.role(name) != 0 {
			names[name] = true
		}
	}
	return Verdict{Flagged: true, Categories: slices.Sorted(maps.Keys(names))}
}
