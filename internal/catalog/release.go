package catalog

// Release is the newest worker of a channel, spelled as on the wire.
type Release struct {
	Channel       string  `json:"-" yaml:"channel"`
	ImageType     string  `json:"imageType" yaml:"imageType"`
	LatestVersion string  `json:"latestVersion" yaml:"latestVersion"`
	Digest        *string `json:"digest" yaml:"digest"`
	DirectUpgrade bool    `json:"directUpgrade" yaml:"directUpgrade"`
	Source        string  `json:"source" yaml:"source"`
	Repository    string  `json:"repository" yaml:"repository"`
	ReleasedAt    string  `json:"releasedAt" yaml:"releasedAt"`
	Stale         bool    `json:"stale" yaml:"stale"`
	Removed       bool    `json:"-" yaml:"removed"`
}

// Releases lists the newest release of each worker channel.
func (c *Catalog) Releases() []*Release { return c.read().releases }

// WorkerImage is a container image that a worker is started from.
type WorkerImage struct {
	Name       string `yaml:"name"` // comfy, comfy-spark or llm
	CUDA       string `yaml:"cuda"` // the CUDA generation that asks for it; empty for the usual one
	Repository string `yaml:"repository"`
	Tag        string `yaml:"tag"`
	Key        string `yaml:"key"`
}

// String is the reference of the image, repository:tag.
func (i *WorkerImage) String() string { return i.Repository + ":" + i.Tag }

// WorkerImage finds an image by name and CUDA generation. A generation
// without its own image gets the usual one.
func (c *Catalog) WorkerImage(name, cuda string) (*WorkerImage, bool) {
	var usual *WorkerImage
	for _, i := range c.read().images {
		switch {
		case i.Name != name:
		case i.CUDA == cuda:
			return i, true
		case i.CUDA == "":
			usual = i
		}
	}
	return usual, usual != nil
}
