// Package catalog holds what the service offers: generation models, tools with
// their arguments, prices, durations, LoRAs, plans, language model facts,
// worker releases and gallery samples.
//
// Everything is data: the YAML files under data/, embedded in the program and
// overlaid by the files of an operator's directory. Adding a model
// or changing a price touches no Go. Load reads, resolves and checks all of it
// once; the Catalog it returns never changes and may be shared freely.
//
// The central function is Catalog.Step. Given a tool, its arguments and the known
// media, it returns for one step: which argument is wrong and how to correct it, or
// the normalized arguments, the chosen model and the reason, the rendered length,
// the expected outputs, the capacity units and the price. Workflows, templates,
// chat and cost previews all call it, so they cannot disagree.
//
// Three rules hold:
//
//   - One source. The schema a language model sees, the one that validates and
//     the text of a refusal all come from the same argument table; the enum of
//     a model argument is the list of models that name the tool.
//   - Every refusal is an *atelier.Error whose message begins with its field,
//     such as "arguments.duration must be …", so a caller can prefix both with
//     the path of the step.
//   - Money is whole-number arithmetic in millionths. H3 models bill the
//     length that they render.
//
// The package is pure: it reads no clock and calls no other service. It uses the
// root package and yamldoc; every engine may import it. It serves the parts of
// the specification on generation tools, video models, model discovery and
// LoRA families.
package catalog
