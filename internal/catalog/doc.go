// Package catalog holds what the service offers: generation models, tools with
// their arguments, prices, durations, LoRAs, plans, language model facts,
// worker releases and gallery samples.
//
// Everything is data: the YAML files under data/, embedded in the program and
// overlaid by an operator's directory with the same file names. Adding a model
// or changing a price touches no Go. Load reads, resolves and checks all of it
// once; the Catalog it returns never changes and may be shared freely.
//
// The heart is Catalog.Step. Given a tool, its arguments and what is known of
// the media around them, it answers for one step: which argument is wrong and
// what to do about it, or the normalized arguments, the model chosen and why,
// the length really rendered, the outputs to expect, the capacity units and
// the price. Workflows, templates, chat and cost previews all ask it, so they
// cannot disagree.
//
// Three rules hold:
//
//   - One source. The schema a language model sees, the one that validates and
//     the text of a refusal all come from the same argument table; the enum of
//     a model argument is the list of models that name the tool.
//   - Every refusal is an *atelier.Error whose message begins with its field,
//     such as "arguments.duration must be …", so a caller can put the place of
//     the step in front of both.
//   - Money is whole-number arithmetic in millionths. What H3 models render is
//     what they bill.
//
// The package is pure: it reads no clock and calls nobody. It stands on the
// ground types and yamldoc; every engine may import it. It serves the parts of
// the specification on generation tools, video models, model discovery and
// LoRA families.
package catalog
