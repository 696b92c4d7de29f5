package node

import (
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/template"
)

// Templates is the engine that keeps templates, for the service and for the
// command line.
func (o *Admin) Templates(c *catalog.Catalog, conf *config.Config) *template.Engine {
	return template.New(o.db, c, template.Options{Limit: conf.Limits.TemplatesPerAccount, MaxBytes: conf.Limits.TemplateBytes, Now: o.now})
}
