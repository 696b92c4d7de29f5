// Package graph keeps the graphs of ComfyUI that operators bring while the service runs, and makes
// models of them.
//
// Each is a row with what three files would hold: the graph, the mapping of its arguments and its entry
// of the catalog. Package graphimport makes them of a workflow that ComfyUI has saved; this
// package asks a connected ComfyUI which nodes it has, checks the result, stores it, and says which
// graphs are used (Used). Package node lets its catalog and its ComfyUI workers have those, and passes
// what the engine needs of the packages above.
//
// The program and the files of an operator's folders win: a stored graph whose name they have is kept
// and not used, and its problem names who has the name.
//
// Invariants: a change is counted in its own transaction, so that nodes see it; a graph that cannot be
// used has a problem that says why, and keeps neither a node from starting nor the others from being
// used.
package graph
