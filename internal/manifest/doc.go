// Package manifest is the list of assets of a conversation or workflow: the name
// that the user gave each, what must not change about it, and how to describe it to
// a model. The tools of the creative agent that edit the manifest, in a chat or in
// a workflow, are functions of it.
//
// It uses only the catalog. Its callers store the manifest.
//
//atelier:sequential
package manifest
