// Package manifest is the memory of the assets that a piece of work is about:
// what the user calls each, what must not change about it, and how a model
// wants to hear of it. The tools of the creative agent that keep the list, in a
// chat or in a workflow, are functions of it.
//
// It knows the catalog and nothing else: whoever calls it keeps the manifest.
package manifest
