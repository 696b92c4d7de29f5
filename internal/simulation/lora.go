package simulation

import (
	"context"
	"maps"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/lora"
)

// loraModel is the model that LoRAs are imported for.
const loraModel = "krea2_turbo_fp8_scaled"

// importLora asks for the import of a file. The account may have it already.
func (w *world) importLora() {
	a, n := pick(w.r, w.clients...), w.anyNode()
	if n == nil {
		return
	}
	name := pick(w.r, slices.Sorted(maps.Keys(loras()))...)
	entry, err := n.loras.Import(context.Background(), a.Wallet, lora.NewLora{URL: links[name], Name: name, ModelID: loraModel, RightsConfirmed: true})
	w.note("import", "%s %s: %s %s, %v", a.Username, name, entry.ID, entry.Status, err)
	if err == nil && !w.lost() {
		a.loras[name] = entry.ID
		w.count("imports")
	}
}

// judgeLoras holds the library of an account against what it has asked for.
func (w *world) judgeLoras(a *client) {
	library, err := w.nodes[0].loras.Library(context.Background(), a.Wallet)
	if err != nil {
		w.t.Fatalf("library: %v", err)
	}
	byName := map[string]bool{}
	for _, entry := range library.Loras {
		if byName[entry.Name] {
			w.report("%s has %s twice", a.Username, entry.Name)
		}
		byName[entry.Name] = true
		if id := a.loras[entry.Name]; id != "" && id != entry.ID {
			w.report("the import of %s was accepted as %s, and is %s", entry.Name, id, entry.ID)
		}
		switch {
		case entry.Status == atelier.LoraReady && (entry.Name == "bad" || !w.files.has("loras/"+string(entry.ID), loras()[entry.Name])):
			w.report("%s of %s is ready, and is not the file of the site", entry.Name, a.Username)
		case entry.Status != atelier.LoraReady && entry.Status != atelier.LoraRejected:
			w.report("the import of %s of %s does not end: it is %s", entry.Name, a.Username, entry.Status)
		}
		w.note("lora", "%s %s %s %s", a.Username, entry.Name, entry.Status, entry.FailureCode)
	}
	for _, name := range slices.Sorted(maps.Keys(a.loras)) {
		if !byName[name] {
			w.report("the import of %s of %s was accepted, and is gone", name, a.Username)
		}
	}
}
