package node

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// vendorWorker is a worker of this process that renders with a vendor.
type vendorWorker struct {
	renderer *remote.Renderer
	name     string
	models   []string
	capacity int
}

// vendorCapacity is how many renders a vendor has at once by default.
const vendorCapacity = 4

// openVendors reads keys and adapters, and checks what the configuration says of
// vendors against the catalog. Its errors begin with the key.
func openVendors(c *config.Config, models *catalog.Catalog, log *slog.Logger) (list []vendorWorker, err error) {
	for i, v := range c.Vendors {
		w, err := openVendor(c, v, models, log)
		if err != nil {
			return nil, fmt.Errorf("vendors[%d].%w", i, err)
		}
		list = append(list, w)
	}
	return list, nil
}

func openVendor(c *config.Config, v config.Vendor, models *catalog.Catalog, log *slog.Logger) (w vendorWorker, err error) {
	o := remote.Options{
		Name: v.Name, BaseURL: v.BaseURL, Headers: v.Headers, IdempotencyHeader: v.IdempotencyHeader,
		AllowPrivate: c.AllowPrivateMedia, Timeout: v.Timeout, Patience: v.Patience, MaxBytes: c.Limits.UploadBytes, Editor: kit.Renderer{}, Log: log,
	}
	w = vendorWorker{name: v.Name, capacity: v.Concurrency}
	if w.capacity == 0 {
		w.capacity = vendorCapacity
	}
	if o.Key, err = vendorKey(v); err != nil {
		return w, err
	}
	media := "image"
	if v.Kind == config.VendorQueue {
		media = "video"
		if o.Adapter, err = remote.LoadAdapter(v.Adapter); err != nil {
			return w, fmt.Errorf("adapter: %w", err)
		}
		if o.Adapter.Keyed() && o.Key == "" {
			return w, errors.New("api_key_env: must be set, or api_key_file: the adapter sends a key")
		}
	}
	for j, entry := range v.Models {
		at := fmt.Sprintf("models[%d].id", j)
		m, ok := models.Model(entry.ID)
		switch {
		case !ok:
			return w, fmt.Errorf("%s: %q is not a model of the catalog", at, entry.ID)
		case m.Vendor == "":
			return w, fmt.Errorf("%s: %s is not a vendor model: the catalog names no vendor for it", at, entry.ID)
		case m.MediaType != media:
			return w, fmt.Errorf("%s: %s makes %s, and the kind %s is for %s models", at, entry.ID, m.MediaType, v.Kind, media)
		}
		id := entry.VendorID
		for _, other := range []string{m.VendorModelID, m.ID} {
			if id == "" {
				id = other
			}
		}
		o.Models = append(o.Models, remote.Model{Model: m, VendorID: id})
		w.models = append(w.models, m.ID)
	}
	w.renderer, err = remote.Open(o)
	return w, err
}

// maxKey bounds the file of a key.
const maxKey = 16 << 10

// vendorKey reads the key of a vendor; it is never part of an error.
func vendorKey(v config.Vendor) (string, error) {
	key, at := "", "api_key_env"
	switch {
	case v.APIKeyEnv != "":
		if key = strings.TrimSpace(os.Getenv(v.APIKeyEnv)); key == "" {
			return "", fmt.Errorf("api_key_env: the environment variable %s is not set", v.APIKeyEnv)
		}
	case v.APIKeyFile != "":
		at = "api_key_file"
		f, err := os.Open(v.APIKeyFile)
		if err != nil {
			return "", fmt.Errorf("api_key_file: %w", err)
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxKey+1))
		if err != nil {
			return "", fmt.Errorf("api_key_file: %w", err)
		}
		if key = strings.TrimSpace(string(data)); key == "" || len(data) > maxKey {
			return "", fmt.Errorf("api_key_file: %s holds no key", v.APIKeyFile)
		}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: the key must be one line of plain characters", at)
	}
	return key, nil
}

// mayKeepReceipts reports whether the workers of an account may store receipts for
// jobs of a model: only workers of this service may, for models of a vendor.
func (n *Node) mayKeepReceipts(w atelier.Wallet, modelID string) bool {
	m, ok := n.catalog.Model(modelID)
	return ok && m.Vendor != "" && w.Equal(embeddedWallet)
}

// workerSessions is how many workers of an account may be connected at once.
// Those of this service are as many as it has nodes and vendors.
func (n *Node) workerSessions(w atelier.Wallet) int {
	if w.Equal(embeddedWallet) {
		return 0
	}
	return n.config.Limits.WorkerSessions
}

// vendorWorkers are a worker for each vendor and network.
func (n *Node) vendorWorkers() (list []worker.Worker) {
	for _, v := range n.vendors {
		slots := make(chan struct{}, v.capacity)
		for _, network := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed} {
			list = append(list, worker.Worker{
				Renderer: v.renderer, Slots: slots,
				Spec: apitype.WorkerSpec{Name: v.name, Network: network, Models: v.models, Capacity: v.capacity, GPU: "vendor"},
			})
		}
	}
	return list
}
