package layers

import "regexp"

// Mechanism is something that the service does in one place. Where it strains it changes
// there, and is not written again beside its caller.
type Mechanism struct {
	Name  string
	Homes []string       // the packages that may have its sign; the root package is the empty path
	Sign  *regexp.Regexp // what code that does it by itself has
	Tests bool           // tests are held to it too
}

// Mechanisms are those that existed more than once, or would easily again.
var Mechanisms = []Mechanism{
	{Name: "cursor of a list", Homes: []string{"internal/cursor"}, Sign: regexp.MustCompile(`Refuse\("cursor"`)},
	{Name: "rate limit", Homes: []string{"internal/admission"}, Sign: regexp.MustCompile(`CodeRateLimited, |x/time/rate"|type \w*[bB]ucket struct`)},
	{Name: "growing pause", Homes: []string{"internal/clock"}, Sign: regexp.MustCompile(`min\(2 ?\* ?(b\.)?(wait|pause|delay|last|backoff)`)},
	{Name: "child process in its own group", Homes: []string{"internal/process"}, Sign: regexp.MustCompile(`Setpgid|Pdeathsig`)},
	{Name: "content negotiation", Homes: []string{"internal/negotiate"}, Sign: regexp.MustCompile(`func [pP]refers|gzip\.BestCompression|EqualFold\(\w+, "gzip"\)`)},
	{Name: "outage or verdict", Homes: []string{"", "internal/database", "internal/endpoint"}, Sign: regexp.MustCompile(`\w+ +\*(atelier\.)?UnavailableError$`)},
	{Name: "idempotent action", Homes: []string{"internal/store"}, Sign: regexp.MustCompile(`INTO idempotency|CodeKeyReused, `)},
	{Name: "fair queue by account", Homes: []string{"internal/admission"}, Sign: regexp.MustCompile(`accounts +\[\]\*|map\[atelier\.Wallet\]load`)},
	{Name: "durable record with a log", Homes: []string{"internal/journal", "bench"}, Sign: regexp.MustCompile(`\.(Trim|Insert)Events\(|\.ShortenLog\(`)},
	{Name: "S3 server of tests", Homes: []string{"internal/blob/blobtest"}, Sign: regexp.MustCompile(`Getenv\("ATELIER_TEST_S3_URL"\)`), Tests: true},
}
