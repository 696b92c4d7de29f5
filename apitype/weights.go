package apitype

// ModelWeights is what a model needs to be rendered by ComfyUI, as far as it is known.
type ModelWeights struct {
	Files []WeightFile `json:"files"`
	// Bytes is the size of the files whose size is known.
	Bytes int64 `json:"bytes"`
	// SizesUnknown is how many files have a size that is not known.
	SizesUnknown int `json:"sizesUnknown"`
	// GPUMemory is absent where its publisher does not say how much it takes.
	GPUMemory *GPUMemory `json:"gpuMemory,omitzero"`
}

// WeightFile is a file that ComfyUI reads weights from.
type WeightFile struct {
	Folder string `json:"folder"` // below ComfyUI's models
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"`
	Bytes  int64  `json:"bytes,omitzero"` // absent where its size is not known
	// Approximate says that only a rounded size is known.
	Approximate bool   `json:"approximate,omitzero"`
	SHA256      string `json:"sha256,omitempty"`
	// Unknown says why there is no address.
	Unknown string `json:"unknown,omitempty"`
}

// GPUMemory is how much memory a model needs, as a public source says.
type GPUMemory struct {
	Bytes  int64  `json:"bytes" yaml:"bytes"`
	Source string `json:"source" yaml:"source"` // where it is said
}
