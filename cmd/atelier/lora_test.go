package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/rogpeppe/go-internal/testscript"
)

// startSites starts a stand-in of the sites that LoRAs are imported from, with some
// files, and returns its address and the configuration of a server that reads them from it.
func startSites() (address, config string, stop func()) {
	sites := loratest.NewSites()
	server := httptest.NewServer(sites)
	sites.AddHubFile("ann/fox", "fox.safetensors", loratest.LoRA{Family: "krea-2"}.File())
	sites.AddHubFile("ann/hen", "styles/hen.safetensors", []byte("not a LoRA, but of some length all the same"))
	sites.AddHubFile("ann/weights", "vae/small.safetensors", bytes.Repeat([]byte("weights "), 9000))
	sites.AddRepo(loratest.Repo{Name: "ann/gated", Gated: "manual", Files: map[string][]byte{"a.safetensors": []byte("gated")}})
	sites.AddCivitaiFile(77, 1001, loratest.LoRA{Family: "krea-2", Seed: 1}.File())
	var text strings.Builder
	text.WriteString("lora:\n  sources:\n")
	for _, s := range loratest.Sources(server.URL) {
		fmt.Fprintf(&text, "    - { kind: %s, host: %s, base_url: %q }\n", s.Kind, s.Host, s.BaseURL)
	}
	return server.URL, text.String(), server.Close
}

// sites FILE starts a stand-in of the sites that LoRAs are imported from, beside the
// script, sets SITES to its address and writes the configuration of a server that reads them from it.
func scriptSites(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sites FILE")
	}
	address, config, stop := startSites()
	ts.Defer(stop)
	ts.Setenv("SITES", address)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(config), 0o600))
}

// import NAME CREDENTIAL STATUS FILE asks for the import in a file, sets a variable to
// the id of the LoRA and waits until the server has logged that it has the status.
func scriptImport(ts *testscript.TestScript, neg bool, args []string) {
	p, ok := servers.Load(ts)
	if neg || len(args) != 4 || !ok {
		ts.Fatalf("usage: import NAME CREDENTIAL STATUS FILE, after serve")
	}
	scriptPost(ts, false, []string{"/v1/loras/personal", args[1], "202", args[3]})
	_, id, _ := strings.Cut(ts.ReadFile("body"), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	ts.Setenv(args[0], id)
	server := p.(*process)
	ts.Check(server.await(&server.stderr, "lora="+id+" status="+args[2]))
}

// lorafile FILE [RANK] writes a LoRA file, of rank 4 unless it is given.
func scriptLoraFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: lorafile FILE [RANK]")
	}
	l := loratest.LoRA{Family: "krea-2"}
	if len(args) == 2 {
		var err error
		l.Rank, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), l.File(), 0o600))
}
