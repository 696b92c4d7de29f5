package ateliertest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// hosting is the stand-in of the sites that LoRAs are imported from. It is started
// before the service.
func (w *world) hosting(p paragraph) *loratest.Sites {
	if w.sites == nil {
		if w.service != nil {
			w.fail(p, "the service runs already")
		}
		w.sites = loratest.Serve(w.t)
	}
	return w.sites
}

// useSites has a service import from the stand-in.
func (w *world) useSites(c *config.Config) {
	if w.sites == nil {
		return
	}
	c.Lora.Sources = nil
	for _, s := range loratest.Sources(w.sites.URL) {
		c.Lora.Sources = append(c.Lora.Sources, config.LoraSource{Kind: s.Kind, Host: s.Host, BaseURL: s.BaseURL})
	}
}

// file reads what a LoRA file is to hold: its family, and flags.
func (w *world) file(p paragraph, words []string) []byte {
	f := loratest.LoRA{Family: words[0]}
	var err error
	for i := 1; i+1 < len(words); i += 2 {
		switch words[i] {
		case "--naming":
			f.Naming = loratest.Naming(words[i+1])
		case "--rank":
			f.Rank, err = strconv.Atoi(words[i+1])
		case "--dtype":
			f.DType = words[i+1]
		case "--seed":
			var n int
			n, err = strconv.Atoi(words[i+1])
			f.Seed = byte(n)
		default:
			err = fmt.Errorf("there is no flag %s", words[i])
		}
		if err != nil {
			w.fail(p, "%v", err)
		}
	}
	return f.File()
}

// hub puts a file on the first hosting site.
func (w *world) hub(p paragraph, words []string) {
	if len(words) < 3 {
		w.fail(p, "want hub OWNER/REPOSITORY FILE FAMILY")
	}
	w.hosting(p).AddHubFile(words[0], words[1], w.file(p, words[2:]))
}

// civitai puts a file on the second hosting site.
func (w *world) civitai(p paragraph, words []string) {
	var model, version int64
	if len(words) > 2 {
		model, _ = strconv.ParseInt(words[0], 10, 64)
		version, _ = strconv.ParseInt(words[1], 10, 64)
	}
	if model == 0 || version == 0 {
		w.fail(p, "want civitai MODEL VERSION FAMILY")
	}
	w.hosting(p).AddCivitaiFile(model, version, w.file(p, words[2:]))
}

// site has a part of the sites answer in another way.
func (w *world) site(p paragraph, words []string) {
	if len(words) != 2 {
		w.fail(p, "want site PART BEHAVIOUR")
	}
	status, err := strconv.Atoi(words[1])
	switch {
	case err == nil:
		w.hosting(p).Behave(loratest.Stage(words[0]), loratest.Status(status))
	case words[1] == "hang":
		w.hosting(p).Behave(loratest.Stage(words[0]), loratest.Hang())
	case words[1] == "well":
		w.hosting(p).Behave(loratest.Stage(words[0]), nil)
	default:
		w.fail(p, "what is %s?", words[1])
	}
}

// lora does what an operator can do with a personal LoRA.
func (w *world) lora(p paragraph, words []string) {
	if len(words) < 2 {
		w.fail(p, "want lora ID revoke, hold or release")
	}
	operator, id, reason := w.operator(), atelier.LoraID(words[0]), strings.Join(words[2:], " ")
	var err error
	switch words[1] {
	case "revoke":
		_, err = operator.RevokeLora(w.t.Context(), id, reason)
	case "hold":
		_, err = operator.ReviewLora(w.t.Context(), id, false, reason)
	case "release":
		_, err = operator.ReviewLora(w.t.Context(), id, true, reason)
	default:
		err = fmt.Errorf("what is %s?", words[1])
	}
	if err != nil {
		w.fail(p, "lora: %v", err)
	}
}
