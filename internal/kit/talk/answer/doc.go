// Package answer answers questions about the service in words. It takes a
// token.Clause and gives text, or reports that the clause asks nothing it knows.
//
// The texts are topics in data/help.md, with placeholders that are filled from the
// catalog: models, tools, prices, plans, lengths, sizes. It also describes models
// and tools by name, ranks models, and words prices.
//
//atelier:sequential
package answer
