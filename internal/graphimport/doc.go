// Package graphimport makes a model of a workflow that ComfyUI has saved: the graph in ComfyUI's API
// format, a mapping that says where the arguments of a job go, and an entry for the catalog.
//
// It reads both formats that ComfyUI saves. The API format is a graph already. The editor's format
// holds what is on the screen: subgraphs, reroutes, muted and bypassed nodes, primitives, and the
// values of widgets without their names. To turn it into a graph takes the list of nodes of a running
// ComfyUI (Nodes), which has the names, in their order. Then it looks for the inputs of the graph: it
// follows the links from the node whose file is the result to the samplers, the texts, the size and the
// files (Detect), and guesses the tool of the catalog that the graph is for. An operator corrects
// guesses with Answers.
//
// The package reads bytes and writes bytes: who calls it reads files and asks ComfyUI. Package
// internal/worker/comfyui checks what it has made against a ComfyUI, as it does with every graph.
//
// What must always hold:
//
//   - A workflow is a file of strangers. What it costs to read is bounded by its size, by
//     maxNodes and by maxLinks: subgraphs may hold each other, and links may lead in circles.
//   - What was guessed is said, with the reason, and what could not be kept is a finding.
//   - The three files are whole: a worker and a service start with them as they are.
//   - Names of packages and addresses in a workflow are shown only in the form that they must have.
package graphimport
