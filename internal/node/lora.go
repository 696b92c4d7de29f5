package node

import (
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/source"
)

// openLoras makes the engine of personal LoRAs, with the sites of the configuration.
func openLoras(n *Node, c *config.Config) (*lora.Engine, error) {
	var sites []source.Site
	for _, s := range c.Lora.Sources {
		sites = append(sites, source.Site{Kind: s.Kind, Host: s.Host, BaseURL: s.BaseURL})
	}
	sources, err := n.openSources(sites)
	if err != nil {
		return nil, err
	}
	return lora.New(n.DB, n.blobs, n.catalog, n.Fleet, sources, lora.Options{
		FileBytes: c.Limits.LoraFileBytes, FreeSpace: freeSpace(c), Reserve: c.Limits.FreeSpaceBytes, Now: n.now, Log: n.log,
	}), nil
}

func (n *Node) openSources(sites []source.Site) (*source.Sources, error) {
	return source.New(sites, source.Options{MaxBytes: n.config.Limits.LoraFileBytes})
}
