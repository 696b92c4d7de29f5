package llm

// Estimate is an estimated number of tokens. Likely is near the real number, and
// decides what fits into a context, and what a round costs that was stopped before
// the server counted it. Most is near the upper end of what servers count. It decides
// what is held and what a whole answer costs whose server does not count at all: with
// a lower estimate, a caller could choose text that always costs less than it uses.
// Neither is a bound: a round is settled by what the server counted.
type Estimate struct {
	Likely int
	Most   int
}

func (e *Estimate) add(o Estimate) {
	e.Likely += o.Likely
	e.Most += o.Most
}

// Counter estimates a text that comes in pieces. The zero value is an empty text.
type Counter struct{ likely, most int } // in parts of a token

// parts is in how many parts a token is divided to weigh a character.
const parts = 12

// Add takes the next piece, which must be valid UTF-8.
func (c *Counter) Add(s string) {
	for len(s) > 0 {
		n := min(len(s), 1<<24) // so that one half of a sum does not overflow
		var sum weight
		for i := range n {
			sum += weights[s[i]]
		}
		c.likely += int(sum >> 32)
		c.most += int(sum & (1<<32 - 1))
		s = s[n:]
	}
}

// Estimate is the estimate of all pieces together.
func (c *Counter) Estimate() Estimate {
	return Estimate{Likely: (c.likely + parts - 1) / parts, Most: (c.most + parts - 1) / parts}
}

// weight is both weights of a character, so that one addition sums them up: the
// likely one in the upper half, the most in the lower.
type weight uint64

func weigh(likely, most int) weight { return weight(likely)<<32 | weight(most) }

// weights are those of characters, by the first byte of each. The other bytes weigh
// nothing, so that a text is weighed byte by byte without being decoded. They were
// compared with the vocabularies cl100k, o200k and that of Llama 3: prose and code
// are within a quarter of Most, encoded data within a half; only random text, such
// as random letters, is up to twice as much.
var weights = func() (w [256]weight) {
	for b := range w {
		switch {
		case b < ' ' || b == 0x7f: // line breaks, mostly
			w[b] = weigh(parts/4, parts/2)
		case b == ' ' || 'a' <= b && b <= 'z':
			w[b] = weigh(parts/4, parts/4)
		case '0' <= b && b <= '9': // some vocabularies have digits one by one
			w[b] = weigh(parts/4, parts)
		case b < 0x80: // capitals and punctuation
			w[b] = weigh(parts/4, parts*2/3)
		case b < 0xc0: // within a character
		case b <= 0xc5 || 0xce <= b && b <= 0xd1 || 0xd6 <= b && b <= 0xdb: // Latin, Greek, Cyrillic, Hebrew, Arabic
			w[b] = weigh(parts/2, parts)
		case b < 0xe0: // other scripts of two bytes, spelled in bytes where they are not known
			w[b] = weigh(parts, 2*parts)
		case b < 0xe2: // the scripts of India and its neighbours
			w[b] = weigh(parts*2/3, 2*parts)
		case b == 0xe2: // symbols
			w[b] = weigh(parts, 3*parts)
		case b <= 0xed: // Chinese, Japanese, Korean
			w[b] = weigh(parts, parts)
		case b < 0xf0: // wide punctuation, and what is rare
			w[b] = weigh(parts, 2*parts)
		default: // of four bytes: emoji, and what is rarer
			w[b] = weigh(2*parts, 4*parts)
		}
	}
	return w
}()

// Measure estimates a text.
func Measure(s string) Estimate {
	var c Counter
	c.Add(s)
	return c.Estimate()
}

// Tokens is how many tokens a text is likely to be.
func Tokens(s string) int { return Measure(s).Likely }

// The estimates of what is not text, in tokens.
const (
	tokensPerMessage = 4
	tokensPerImage   = 1300
	tokensPerSmall   = 340  // an image whose detail is low
	mostPerImage     = 1400 // 1024 by 1024 pixels, by a server that ignores the detail
)

// schemaBytesPerToken is how many bytes of JSON Schema a token has at least. Schemas
// are weighed by their length alone: the hosted ones are long, and the same in every
// request.
const schemaBytesPerToken = 3

// MessageTokens is how many tokens messages are likely to be.
func MessageTokens(messages []Message) int { return measureMessages(messages).Likely }

func measureMessages(messages []Message) (n Estimate) {
	for i := range messages {
		m := &messages[i]
		n.add(Estimate{tokensPerMessage, tokensPerMessage})
		for k := range m.Content {
			switch p := &m.Content[k]; {
			case p.Type == "text":
				n.add(Measure(p.Text))
			case p.Detail == "low":
				n.add(Estimate{tokensPerSmall, mostPerImage})
			default:
				n.add(Estimate{tokensPerImage, mostPerImage})
			}
		}
		for k := range m.ToolCalls {
			c := &m.ToolCalls[k]
			n.Likely += (len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments) + 50) / 4
			n.Most += Measure(c.ID).Most + Measure(c.Function.Name).Most + Measure(c.Function.Arguments).Most + 50/schemaBytesPerToken
		}
		n.Most += Measure(m.Name).Most + Measure(m.ToolCallID).Most
	}
	return n
}

// ToolTokens is how many tokens tool schemas are likely to be.
func ToolTokens(tools []Tool) int { return measureTools(tools).Likely }

func measureTools(tools []Tool) (n Estimate) {
	for i := range tools {
		f := &tools[i].Function
		size := len(f.Name) + len(f.Description) + len(f.Parameters) + 60
		n.add(Estimate{Likely: size / 4, Most: size / schemaBytesPerToken})
	}
	return n
}

// measureParams estimates what parameters add to a prompt: servers put the format
// of the answer into it, and templates their arguments.
func measureParams(r *Request) int {
	return (len(r.Params["response_format"]) + len(r.Params["chat_template_kwargs"])) / schemaBytesPerToken
}
