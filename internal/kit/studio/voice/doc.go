// Package voice speaks and sings.
//
// With espeak-ng on the PATH a text is spoken by it, in ten languages, and then
// filtered and levelled. Without it, this package has its own synthesiser for
// English: text becomes clauses of words, words become sounds by a lexicon and
// by spelling rules, sounds get lengths and a melody, and a formant synthesiser
// after Klatt turns them into samples. Other languages are then refused with a
// reason.
//
// A Timbre says how a speaker sounds. There are nine by name; Design reads one
// from a description, and MeasureTimbre measures one from a recording: its
// pitch, the span of its melody, its pace and its brightness. That is a
// resemblance, not a copy, and Info says so.
//
// Package song sings with the same synthesiser: Syllables splits lyrics and
// Sing puts them on notes.
//
// # Invariants
//
//   - The same request gives the same samples on the same machine.
//   - Text reaches espeak-ng through its standard input, cleaned of markup, and
//     for a bounded time.
//   - The sounds, the lexicon, the spelling rules, the voices and the words of
//     descriptions are files under data, checked by the tests.
//
//atelier:sequential
package voice
