package llm

import "unicode/utf8"

// What things are estimated at, in tokens.
const (
	charsPerToken    = 4
	tokensPerMessage = 4
	tokensPerImage   = 1300
	tokensPerSmall   = 340 // an image whose detail is low
)

// Tokens estimates a text.
func Tokens(s string) int { return TokensOf(utf8.RuneCountInString(s)) }

// TokensOf estimates a text of so many characters.
func TokensOf(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// MessageTokens estimates messages.
func MessageTokens(messages []Message) (n int) {
	for _, m := range messages {
		n += tokensPerMessage
		for _, p := range m.Content {
			switch {
			case p.Type == "text":
				n += Tokens(p.Text)
			case p.Detail == "low":
				n += tokensPerSmall
			default:
				n += tokensPerImage
			}
		}
		for _, c := range m.ToolCalls {
			n += (len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments) + 50) / charsPerToken
		}
	}
	return n
}

// ToolTokens estimates tool schemas.
func ToolTokens(tools []Tool) (n int) {
	for _, t := range tools {
		n += (len(t.Function.Name) + len(t.Function.Description) + len(t.Function.Parameters) + 60) / charsPerToken
	}
	return n
}
