package endpoint

import "github.com/atelier-project/atelier/internal/wire"

// Route is one line of the table.
type Route struct {
	Method  string
	Pattern string          // with {name} for any segment and {name...} for the rest
	Access  Access          // which credential it needs
	Limit   LimitClass      // which rate limit it counts against
	Format  Format          // the envelope of its answers and errors
	Names   wire.NamePolicy // how names in the request are matched
	Key     KeyRule         // what an Idempotency-Key means
	Status  int             // of a success
	Handler Handler         // the function behind it
	About   string          // one line for the reference
}

// Access is which credential a route needs.
type Access int

const (
	Public        Access = iota // none
	Authenticated               // any valid credential
	APIKeyOnly                  // an API key
	WorkerOnly                  // an API key of a worker account
	OperatorOnly                // an API key of an account with the operator role
)

// Format is the envelope of a route's answers.
type Format int

const (
	Standard      Format = iota // {status, data} and {status, errorCode, message}
	Shared                      // the same, with the bare 429 of public reads
	Doubled                     // the same, with the members of data at the top level too
	OpenAI                      // the object itself and {error: {…}}
	Anthropic                   // the object itself and {type: "error", error: {…}}
	Replicate                   // the object itself and {title, detail, status}
	Automatic1111               // the object itself and {error, detail, body, errors}
	Verbatim                    // what the handler writes; errors as in standard
)

// isForeign reports whether it is the format of another service's protocol.
func (f Format) isForeign() bool {
	return f == OpenAI || f == Anthropic || f == Replicate || f == Automatic1111
}
