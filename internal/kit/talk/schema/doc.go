// Package schema fills JSON schemas from text. It takes the schema of a caller's
// function or response format and what the user wrote, and gives a JSON value:
// numbers, quotations, names, places and values of enums that stand in the text.
//
// Of JSON Schema it reads types, enums, bounds, required properties and local
// references; it does not validate. A Filler that is forced gives every required
// property a value, the plainest of its type if the text has none.
//
//atelier:sequential
package schema
