// Package tonality reads musical keys as people write them, and finds them in lists that
// spell them in other ways.
//
// The renderers, the checks of a tool's arguments and the composition tools read a key with
// the same function, so that what one of them accepts the others understand.
//
//atelier:sequential
package tonality
