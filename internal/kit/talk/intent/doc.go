// Package intent recognizes what a clause asks for. It takes a token.Clause and
// gives an Act, by the first pattern in data/intent.txt that matches, or says
// whether the clause is a question, a prohibition or a detail of a request.
//
//atelier:sequential
package intent
