package endpoint

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/wire"
)

// How much memory the requests of a node hold together.
const (
	bodyMemory  = 512 << 20 // their bodies
	valueMemory = 256 << 20 // the values decoded from them
)

// Config has the settings of a server, and what it needs of the engines.
type Config struct {
	Authenticate      func(context.Context, Credential) (atelier.Caller, error) // finds the owner of a credential
	CredentialChanges func(context.Context) (int64, error)                      // a number that changes when a credential stops being valid or is limited; nil: it is not known
	NoteUse           func(caller atelier.Caller, app string)                   // records that a credential was used, and by which application
	CheckSpace        func(Storage) error                                       // refuses when nothing new can be stored; nil: it can
	Failures          map[Format]func(*atelier.Error) any                       // the error envelopes of formats that other services have defined
	Reference         func() Reference                                          // made when the document is first asked for

	Pages          http.Handler   // for paths that are no endpoint; nil: they are not found
	Limits         Limits         // rates
	Open           OpenLimits     // of requests that last
	Timeouts       Timeouts       // of slow clients
	Heartbeat      time.Duration  // between two checks of the credential of a long request
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is trusted
	PublicURL      string         // how clients reach this service
	Listen         string         // the address that it serves on, as it is configured
	Version        string
	Metrics        *telemetry.Metrics
	Log            *slog.Logger
	Now            func() time.Time
}

// OpenLimits are how many requests that last may be open at once; any number where they are zero.
type OpenLimits struct {
	PerAccount  int // event streams and completions
	Completions int // of them, per account: each occupies a language model
	InAll       int // of all accounts, which share them: see admission.Open
}

// Server serves the endpoints of a route table. It is an http.Handler.
type Server struct {
	authenticate func(context.Context, Credential) (atelier.Caller, error)
	noteUse      func(atelier.Caller, string)
	checkSpace   func(Storage) error
	failures     map[Format]func(*atelier.Error) any
	pages        http.Handler
	trusted      []netip.Prefix
	publicURL    string
	origins      origins // that may use the cookie of the console
	metrics      *telemetry.Metrics
	log          *slog.Logger
	now          func() time.Time
	timeouts     Timeouts
	limiters     [limitClasses]*admission.Rate
	keyRates     *admission.Rate   // of the API keys that have one of their own
	open         *admission.Open   // streams and completions
	answers      *admission.Open   // completions alone
	lookups      chan struct{}     // holds one entry for each slow lookup
	warned       atomic.Bool       // of an untrusted proxy
	bodies       *admission.Memory // for the bodies
	values       *admission.Memory // for the values decoded from them
	table        []Route
	tree         tree
	document     func() *page // the OpenAPI document, made when it is first read
	rechecks     *rechecks
	streams      context.Context // ends when streams must end
	endStreams   context.CancelFunc
}

// New makes a server of the endpoints of a table.
func New(c Config, table []Route) *Server {
	s := &Server{
		authenticate: c.Authenticate, noteUse: c.NoteUse, checkSpace: c.CheckSpace, failures: c.Failures,
		publicURL: c.PublicURL, pages: c.Pages, trusted: c.TrustedProxies, metrics: c.Metrics, log: c.Log, now: c.Now, table: table,
	}
	s.rechecks = newRechecks(c.Heartbeat, c.Authenticate, c.CredentialChanges)
	s.keyRates = admission.NewRate(0, false)
	s.origins = newOrigins(c.PublicURL, c.Listen)
	s.open = admission.NewOpen("event streams and completions", c.Open.PerAccount, c.Open.InAll)
	s.answers = admission.NewOpen("chat completions and calls of /mcp", c.Open.Completions, 0)
	c.Metrics.GaugeFunc("streams", "Event streams and completions that are open on this node.", func() float64 { return float64(s.open.Count()) })
	s.lookups = make(chan struct{}, slowLookups)
	s.timeouts = c.Timeouts.orDefault()
	s.streams, s.endStreams = context.WithCancel(context.Background())
	for class := Unlimited + 1; class < limitClasses; class++ {
		s.limiters[class] = admission.NewRate(c.Limits.perMinute(class), class == PublicReads)
	}
	s.bodies = admission.NewMemory(bodyMemory, bodyShare(table))
	s.values = admission.NewMemory(valueMemory, valueMemory/4)
	s.document = sync.OnceValue(func() *page { return newPage(Describe(c, table), nil, time.Time{}) })
	s.mount()
	return s
}

// bodyShare is how much of the memory for bodies one account may hold: one of the largest
// that an endpoint takes.
func bodyShare(table []Route) int64 {
	largest := usualBody.Total()
	for _, rt := range table {
		largest = max(largest, rt.Handler.bounds.Total())
	}
	return largest + readSize
}

// mount adds every path of the table to the tree: one handler per path, which knows the
// methods of the path and so can answer 405 and OPTIONS itself.
func (s *Server) mount() {
	paths := map[string]map[string]*Route{}
	for i := range s.table {
		rt := &s.table[i]
		if rt.Handler.Request != nil {
			rt.Handler.shape = wire.ShapeOf(rt.Handler.Request, rt.Names)
		}
		if paths[rt.Pattern] == nil {
			paths[rt.Pattern] = map[string]*Route{}
		}
		paths[rt.Pattern][rt.Method] = rt
	}
	for pattern, methods := range paths {
		s.tree.add(pattern, s.methodsOf(pattern, methods))
	}
}

// ServeDocument sends the OpenAPI document of the table.
func (s *Server) ServeDocument(w http.ResponseWriter, r *http.Request) {
	s.document().send(w, r, http.StatusOK)
}

// EndStreams ends the open streams, and those that begin later: their readers reconnect to
// another node.
func (s *Server) EndStreams() { s.endStreams() }
