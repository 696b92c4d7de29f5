package node

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// renderServer is a vendor or an image server that workers of this process render with.
type renderServer struct {
	renderer *remote.Renderer
	name     string
	models   []string
	capacity int
	gpu      string // as workers report it
}

// vendorCapacity is how many renders a vendor has at once by default.
const vendorCapacity = 4

// openVendors reads keys and adapters, and checks what the configuration says of
// vendors against the catalog. Its errors begin with the key.
func openVendors(c *config.Config, models *catalog.Catalog, log *slog.Logger) (list []renderServer, err error) {
	for i, v := range c.Vendors {
		key, err := vendorKey(v)
		if err != nil {
			return nil, fmt.Errorf("vendors[%d].%w", i, err)
		}
		w, err := openVendor(c, v, key, models, log)
		if err != nil {
			return nil, fmt.Errorf("vendors[%d].%w", i, err)
		}
		list = append(list, w)
	}
	return list, nil
}

func openVendor(c *config.Config, v config.Vendor, key string, models *catalog.Catalog, log *slog.Logger) (w renderServer, err error) {
	o := remote.Options{
		Name: v.Name, BaseURL: v.BaseURL, Headers: v.Headers, IdempotencyHeader: v.IdempotencyHeader,
		AllowPrivate: c.AllowPrivateMedia, Timeout: v.Timeout, Patience: v.Patience, MaxBytes: c.Limits.UploadBytes, Editor: kit.Renderer{}, Log: log,
	}
	w = renderServer{gpu: "vendor", name: v.Name, capacity: v.Concurrency}
	if w.capacity == 0 {
		w.capacity = vendorCapacity
	}
	o.Key = key
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

func vendorKey(v config.Vendor) (string, error) { return readKey(v.APIKeyEnv, v.APIKeyFile) }

// readKey reads a key from an environment variable or a file; it is never part of an error.
func readKey(env, file string) (string, error) {
	key, at := "", "api_key_env"
	switch {
	case env != "":
		if key = strings.TrimSpace(os.Getenv(env)); key == "" {
			return "", fmt.Errorf("api_key_env: the environment variable %s is not set", env)
		}
	case file != "":
		at = "api_key_file"
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("api_key_file: %w", err)
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxKey+1))
		if err != nil {
			return "", fmt.Errorf("api_key_file: %w", err)
		}
		if key = strings.TrimSpace(string(data)); key == "" || len(data) > maxKey {
			return "", fmt.Errorf("api_key_file: %s holds no key", file)
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

// workers are a worker for each network, which share the capacity. They render with r.
func (v renderServer) workers(r worker.Renderer) (list []worker.Worker) {
	slots := make(chan struct{}, v.capacity)
	for _, network := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed} {
		list = append(list, worker.Worker{
			Renderer: r, Slots: slots,
			Spec: apitype.WorkerSpec{Name: v.name, Network: network, Models: v.models, Capacity: v.capacity, GPU: v.gpu},
		})
	}
	return list
}

// imageTools are the tools that an image server does.
var imageTools = []string{"generate_image", "edit_image"}

// openImages makes the renderer of an image server of the operator. Its error begins with the
// key.
func openImages(e connection.Entry, known *catalog.Catalog, timeout time.Duration, log *slog.Logger) (w renderServer, err error) {
	s := e.Settings.Images
	o := remote.Options{
		Name: s.Protocol, BaseURL: s.BaseURL, Key: e.Key, Local: true, Extended: s.Protocol == "sdcpp", Timeout: timeout, Editor: kit.Renderer{}, Log: log,
	}
	if u, err := url.Parse(o.BaseURL); err == nil && strings.Trim(u.Path, "/") == "" {
		o.BaseURL = u.JoinPath("v1").String()
	}
	w = renderServer{name: e.Name, capacity: 1}
	if len(s.Models) == 0 {
		return w, errors.New("models: must name at least one model")
	}
	for i, entry := range s.Models {
		m, ok := known.Model(entry.ID)
		if !ok || m.Vendor != "" || !slices.ContainsFunc(imageTools, func(tool string) bool { _, does := m.Selectors[tool]; return does }) {
			return w, fmt.Errorf("models[%d].id: %q is not a native model of the catalog that makes or edits images", i, entry.ID)
		}
		o.Models = append(o.Models, remote.Model{Model: m, VendorID: cmp.Or(entry.UpstreamID, entry.ID)})
		w.models = append(w.models, m.ID)
	}
	w.renderer, err = remote.Open(o)
	return w, err
}
