// Package kit is the offline kit: what makes a fresh installation useful before anything is installed or configured. It
// has two entry points. Renderer renders every tool of the catalog without a GPU and without a network; Completer is
// the language model that is always available. Renderer is also the worker.Editor of workers that have media rendered
// elsewhere, and decodes the first frame of a clip for package library; Completer is also the compose.Rules.
//
// The packages below this folder are what the two are made of: the tools of the renderer (cpu) over classical
// algorithms for pictures, clips, songs and speech (studio), codecs that the service itself does not need (codec), and
// the rules and word lists of the language model (talk) and of the composition tools without one (write). The program
// in showcase shows what the renderer makes.
//
// The kit is finished (docs/adr/0025-the-offline-kit.md): defects are repaired, and it may become smaller.
//
// Invariant: no package outside this folder imports one below it, and the kit imports no engine, store or API of the
// service.
//
//atelier:sequential
package kit
