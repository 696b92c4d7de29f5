package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/wire"
)

// The kinds of sites, which are also the providers of a Pin.
const (
	HuggingFace = "huggingface"
	Civitai     = "civitai"
)

// publicHosts are the hosts of the public sites and of the storage that they redirect
// downloads to. "*." stands for one or more labels. A host of the list must have a public
// address.
var publicHosts = map[string][]string{
	HuggingFace: {"huggingface.co", "*.huggingface.co", "hf.co", "*.hf.co"},
	Civitai: {
		"civitai.com", "*.civitai.com", "civitai.red", "*.civitai.red",
		"*.5ac0637cfd0766c97916cefa3764fbdf.r2.cloudflarestorage.com", // the site's account there
		"s3.us-west-004.backblazeb2.com",
	},
}

// Site is a hosting site as the operator configures it.
type Site struct {
	Kind    string // huggingface or civitai
	Host    string // of its links
	BaseURL string // where it is really read
	Key     string // an API token, sent to the base URL only; may be empty
}

// Options are the limits of Sources. A zero value means the default.
type Options struct {
	MaxBytes     int64         // of a file: 2 GiB
	MinRate      int64         // bytes a second that a download must keep up: 128 KiB
	Grace        time.Duration // which a download may be behind that rate: a minute
	Idle         time.Duration // without any progress: 15 seconds
	CheckTimeout time.Duration // of a request to a site's API: 20 seconds
	Resumptions  int           // of a download that breaks: 8; none when negative

	RedirectHosts []string // in the place of the storage hosts that are known; "*." as the first label stands for any
	AllowPrivate  bool     // hosts need not be on the public Internet
	Resolver      *net.Resolver
	Dial          func(ctx context.Context, network, address string) (net.Conn, error) // as in fetch.Options
}

// timeFor is the longest time that a download of n bytes takes.
func (o Options) timeFor(n int64) time.Duration {
	return o.Grace + time.Duration(min(float64(n)/float64(o.MinRate), 1e9)*float64(time.Second))
}

// maxAnswer is the largest answer of a site's API that is read.
const maxAnswer = 8 << 20

// Sources are the sites that links may name.
type Sources struct {
	sites map[string]*site // by host
}

// site is a Site ready for requests.
type site struct {
	Site
	opts Options
	base *url.URL
	api  *fetch.Client
	file *fetch.Client
}

// New makes Sources of the configured sites.
func New(sites []Site, o Options) (*Sources, error) {
	o.MaxBytes = cmp.Or(o.MaxBytes, 2<<30)
	o.MinRate = cmp.Or(o.MinRate, 128<<10)
	o.Grace = cmp.Or(o.Grace, time.Minute)
	o.Idle = cmp.Or(o.Idle, 15*time.Second)
	o.CheckTimeout = cmp.Or(o.CheckTimeout, 20*time.Second)
	o.Resumptions = cmp.Or(o.Resumptions, 8)
	s := &Sources{sites: map[string]*site{}}
	var bases []*url.URL
	for _, given := range sites {
		given.Host = strings.ToLower(given.Host)
		at := &site{Site: given, opts: o}
		var err error
		if at.base, err = given.check(); err != nil {
			return nil, fmt.Errorf("lora source %q: %w", given.Host, err)
		}
		if s.sites[given.Host] != nil {
			return nil, fmt.Errorf("lora source %q is configured twice", given.Host)
		}
		s.sites[given.Host] = at
		bases = append(bases, at.base)
	}
	for _, at := range s.sites {
		at.connect(bases)
	}
	return s, nil
}

// Hosts are the hosts of the sites that links may name.
func (s *Sources) Hosts() []string {
	return append([]string{}, slices.Sorted(maps.Keys(s.sites))...)
}

// check reads the base URL of a site.
func (s Site) check() (*url.URL, error) {
	if publicHosts[s.Kind] == nil {
		return nil, fmt.Errorf("its kind %q is neither %s nor %s", s.Kind, HuggingFace, Civitai)
	}
	if !isHost(s.Host) {
		return nil, errors.New("its host is not a host name as in a link")
	}
	base, err := url.Parse(strings.TrimSuffix(s.BaseURL, "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("its base_url is not an http or https URL without user, query and fragment")
	}
	return base, nil
}

// isHost reports whether a text is a host name in lower case.
func isHost(s string) bool {
	return s != "" && len(s) <= 253 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" &&
		!strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}

// connect makes the clients of a site. They read the configured base URLs and the storage
// of the site's kind.
func (s *site) connect(bases []*url.URL) {
	hosts := publicHosts[s.Kind]
	var private []string
	for _, base := range bases {
		// The public sites have public addresses, or the name service is not to be trusted.
		if !slices.ContainsFunc(slices.Concat(publicHosts[HuggingFace], publicHosts[Civitai]), matches(base.Hostname())) {
			private = append(private, fetch.Address(base))
		}
	}
	if s.opts.RedirectHosts != nil {
		hosts = s.opts.RedirectHosts
	}
	o := fetch.Options{
		AllowPrivate: s.opts.AllowPrivate, PrivateHosts: private, Idle: s.opts.Idle, Resolver: s.opts.Resolver, Dial: s.opts.Dial,
		Allow: func(u *url.URL) bool {
			return slices.ContainsFunc(bases, func(base *url.URL) bool { return u.Scheme == base.Scheme && fetch.Address(u) == fetch.Address(base) }) ||
				u.Scheme == "https" && strings.HasSuffix(fetch.Address(u), ":443") && slices.ContainsFunc(hosts, matches(u.Hostname()))
		},
	}
	o.MaxBytes, o.Timeout = maxAnswer, s.opts.CheckTimeout
	s.api = fetch.New(o)
	o.MaxBytes, o.Timeout = s.opts.MaxBytes, s.opts.Idle+s.opts.timeFor(s.opts.MaxBytes)
	s.file = fetch.New(o)
}

// matches returns a function that reports whether a host is of a pattern.
func matches(host string) func(pattern string) bool {
	host = strings.ToLower(host)
	return func(pattern string) bool {
		if suffix, some := strings.CutPrefix(pattern, "*"); some {
			return strings.HasSuffix(host, suffix)
		}
		return host == pattern
	}
}

// at returns the address of a path, with its query, at the site.
func (s *site) at(path string) string { return s.base.String() + path }

// ask reads an answer of the site's API.
func (s *site) ask(ctx context.Context, path string, into any) error {
	a, err := s.api.Open(ctx, fetch.Request{URL: s.at(path), Bearer: s.Key})
	if err != nil {
		return s.explainAnswer(err)
	}
	defer a.Close()
	if a.Status != http.StatusOK {
		return s.refuseStatus(a.Status, a.Header)
	}
	text, err := io.ReadAll(a)
	if err != nil {
		return s.explainAnswer(err)
	}
	if wire.UnmarshalLenient(text, into) != nil {
		return s.unreadable()
	}
	return nil
}

func (s *site) explainAnswer(err error) error {
	if err = s.explain(err); IsAccess(err) { // of the sizes of a file and of an answer, the second was passed
		return s.tooLong()
	}
	return err
}

func (s *site) tooLong() *Error {
	return fail(Access, "%s lists too much under this link to be checked.", s.Host)
}

// isList reports whether a site sent a list.
func isList(list wire.Raw) bool { return len(list) > 0 && string(list) != "null" }

// items reads the items of a list one by one, so that a long one takes no memory.
func items[T any](list wire.Raw, most int, each func(T) error) error {
	if !isList(list) {
		return nil
	}
	return wire.Items(list, most, func(_ int, item wire.Raw) error {
		var v T
		if err := wire.UnmarshalLenient(item, &v); err != nil {
			return err
		}
		return each(v)
	})
}

// explainList turns a failure of items into one of the site.
func (s *site) explainList(err error) error {
	if errors.Is(err, wire.ErrTooMany) {
		return s.tooLong()
	}
	return s.unreadable()
}
