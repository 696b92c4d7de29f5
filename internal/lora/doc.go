// Package lora keeps personal LoRAs: files that accounts import from hosting sites or
// upload, check against a family of models, and use in their renders.
//
// It serves the "Personal LoRAs" part of the specification. An import is a node task
// of the fleet, so that it survives the process that does it. An upload is one request:
// its entry is there before its file is, and is removed if the file does not arrive.
// Package source reads the hosting sites, package weights checks the files, and blob
// keeps them.
//
// Invariants: a status changes only along atelier.LoraMoves; the key of an object is
// stored before the object is written, and each attempt has its own key, so that
// an attempt that was thought dead changes nothing; the file of a ready LoRA was
// checked as it is stored, not only as the site described it.
package lora
