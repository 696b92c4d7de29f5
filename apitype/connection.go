package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// ConnectionKind is what a connection leads to.
type ConnectionKind string

// The kinds of connections.
const (
	ConnectionLLM        ConnectionKind = "llm"         // a server of language models
	ConnectionComfyUI    ConnectionKind = "comfyui"     // a ComfyUI
	ConnectionImages     ConnectionKind = "images"      // another image server of the operator
	ConnectionVendor     ConnectionKind = "vendor"      // a vendor that renders for money
	ConnectionLoraSource ConnectionKind = "lora_source" // a hosting site of LoRAs
)

// Values lists the kinds.
func (ConnectionKind) Values() []string {
	return []string{string(ConnectionLLM), string(ConnectionComfyUI), string(ConnectionImages), string(ConnectionVendor), string(ConnectionLoraSource)}
}

// ConnectionSettings are the settings of a connection, without its API key: one member, that of
// its kind.
type ConnectionSettings struct {
	LLM        *LLMConnection        `json:"llm,omitempty" wire:"llm" doc:"A server of language models that speaks OpenAI's API: Ollama, llama.cpp, vLLM, LM Studio, a vendor."`
	ComfyUI    *ComfyUIConnection    `json:"comfyui,omitempty" wire:"comfyui" doc:"A ComfyUI, which a worker inside this service renders with."`
	Images     *ImagesConnection     `json:"images,omitempty" wire:"images" doc:"Another image server of yours: one with OpenAI's images API, or that of stable-diffusion.cpp."`
	Vendor     *VendorConnection     `json:"vendor,omitempty" wire:"vendor" doc:"A vendor that renders models of the catalog for money."`
	LoraSource *LoraSourceConnection `json:"loraSource,omitempty" wire:"loraSource" doc:"A hosting site of LoRAs."`
}

// LLMConnection is a server of language models.
type LLMConnection struct {
	Protocol    string     `json:"protocol,omitempty" wire:"protocol,enum=openai|anthropic" doc:"What it speaks. When omitted: openai."`
	BaseURL     string     `json:"baseUrl" wire:"baseUrl,required,maxlen=2000" doc:"Such as http://127.0.0.1:11434/v1."`
	ExtraParams []string   `json:"extraParams,omitempty" wire:"extraParams,maxlen=50" doc:"Request fields passed on in addition to those of the specification and the usual sampling ones."`
	Models      []LLMModel `json:"models" wire:"models,maxlen=200" doc:"The models it serves. When omitted: those that the server lists now."`
}

// LLMModel is a model of such a server.
type LLMModel struct {
	ID             string        `json:"id" wire:"id,required,minlen=1,maxlen=200" doc:"The id that clients use."`
	UpstreamID     string        `json:"upstreamId,omitempty" wire:"upstreamId,maxlen=200" doc:"The model's id on the server, when it differs."`
	ContextLength  int           `json:"contextLength,omitempty" wire:"contextLength,min=0,max=134217728" doc:"Its full context in tokens. When omitted: the length that the server reports."`
	Reasoning      bool          `json:"reasoning" wire:"reasoning" doc:"Whether it can think before it answers."`
	Vision         bool          `json:"vision" wire:"vision" doc:"Whether it takes images."`
	Tools          string        `json:"tools,omitempty" wire:"tools,enum=auto|full|compact|none" doc:"How hosted tools are described to it."`
	PriceInput     atelier.Money `json:"pricePerMillionInput,omitzero" wire:"pricePerMillionInput" doc:"USD for a million input tokens."`
	PriceOutput    atelier.Money `json:"pricePerMillionOutput,omitzero" wire:"pricePerMillionOutput" doc:"USD for a million output tokens."`
	CoveredByPlans *bool         `json:"coveredByPlans,omitempty" wire:"coveredByPlans" doc:"Whether plans cover it. Default: false for a model with a price on a server with an API key, else true."`
	Replaces       []string      `json:"replaces,omitempty" wire:"replaces,maxlen=50" doc:"Retired ids that now mean this model."`
}

// ComfyUIConnection is a ComfyUI.
type ComfyUIConnection struct {
	BaseURL   string   `json:"baseUrl" wire:"baseUrl,required,maxlen=2000" doc:"Such as http://127.0.0.1:8188."`
	Models    []string `json:"models,omitempty" wire:"models,maxlen=1000" doc:"The models of the catalog that it renders. When omitted: every one that it has the nodes and files for."`
	ModelsDir string   `json:"modelsDir,omitempty" wire:"modelsDir,maxlen=4096" doc:"Its folder, or its folder of models, as this service sees it: an absolute path. Operators can have the files of models fetched into it."`
}

// ImagesConnection is an image server of the operator.
type ImagesConnection struct {
	BaseURL  string          `json:"baseUrl" wire:"baseUrl,required,maxlen=2000" doc:"Such as http://127.0.0.1:1234/v1."`
	Protocol string          `json:"protocol" wire:"protocol,enum=openai-images|sdcpp,default=openai-images" doc:"sdcpp for the server of stable-diffusion.cpp, which gets its own arguments too."`
	Models   []RenderedModel `json:"models" wire:"models,required,minlen=1,maxlen=100" doc:"The models of the catalog that it renders."`
}

// VendorConnection is a vendor.
type VendorConnection struct {
	Protocol          string            `json:"protocol" wire:"protocol,enum=openai-images|queue,default=openai-images" doc:"openai-images, or queue for a vendor that is polled."`
	BaseURL           string            `json:"baseUrl" wire:"baseUrl,required,maxlen=2000" doc:"Such as https://api.openai.com/v1."`
	Models            []RenderedModel   `json:"models" wire:"models,required,minlen=1,maxlen=100" doc:"The vendor models of the catalog that it renders."`
	Headers           map[string]string `json:"headers,omitempty" wire:"headers,maxlen=20" doc:"Headers of every request; {{key}} stands for the API key. Default: Authorization: Bearer {{key}}."`
	Concurrency       int               `json:"concurrency,omitempty" wire:"concurrency,min=0,max=64" doc:"Renders at once, per process. Default: 4."`
	TimeoutSeconds    int               `json:"timeoutSeconds,omitempty" wire:"timeoutSeconds,min=0,max=86400" doc:"How long one request may take. Default: 600 for openai-images, else 60."`
	PatienceSeconds   int               `json:"patienceSeconds,omitempty" wire:"patienceSeconds,min=0,max=604800" doc:"How long the service waits for one render before it checks again later. Default: 3600."`
	Adapter           string            `json:"adapter,omitempty" wire:"adapter,maxlen=64" doc:"For queue: the name of a built-in adapter."`
	IdempotencyHeader string            `json:"idempotencyHeader,omitempty" wire:"idempotencyHeader,maxlen=64" doc:"For openai-images: the header under which the vendor takes idempotency keys, if it honours them."`
}

// RenderedModel is a model of the catalog that a server renders.
type RenderedModel struct {
	ID         string `json:"id" wire:"id,required,minlen=1,maxlen=200" doc:"Its id in the catalog."`
	UpstreamID string `json:"upstreamId,omitempty" wire:"upstreamId,maxlen=200" doc:"The server's name for it. Default: the name in the catalog."`
}

// LoraSourceConnection is a hosting site of LoRAs.
type LoraSourceConnection struct {
	Site    string `json:"site" wire:"site,required,enum=huggingface|civitai" doc:"What kind of site it is."`
	Host    string `json:"host" wire:"host,required,minlen=1,maxlen=253" doc:"The host of links, such as huggingface.co."`
	BaseURL string `json:"baseUrl" wire:"baseUrl,required,maxlen=2000" doc:"The server that files are fetched from, such as https://huggingface.co."`
}

// NewConnection asks for a connection.
type NewConnection struct {
	Name   string `json:"name,omitempty" wire:"name,maxlen=40" doc:"Its name among those of its kind. Default: the host of its address."`
	APIKey string `json:"apiKey,omitempty" wire:"apiKey,maxlen=16384" doc:"The key that the server wants, if any. It is stored encrypted and never shown."`
	ConnectionSettings
	Reason string `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

// ConnectionChange changes a connection. What is left out stays as it is.
type ConnectionChange struct {
	Name   *string `json:"name,omitempty" wire:"name,minlen=1,maxlen=40" doc:"Its new name."`
	APIKey *string `json:"apiKey,omitempty" wire:"apiKey,maxlen=16384" doc:"Its new API key; empty removes it. It must be given again with an address on another server."`
	ConnectionSettings
	Reason string `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

// ConnectionDraft is a connection to test before it is stored.
type ConnectionDraft struct {
	ConnectionID string `json:"connectionId,omitempty" wire:"connectionId,maxlen=100" doc:"The stored connection that it would change: its API key is used when none is given and the server is the same."`
	APIKey       string `json:"apiKey,omitempty" wire:"apiKey,maxlen=16384" doc:"The key that the server wants, if any."`
	ConnectionSettings
}

// ConnectionOrigin is where a connection is kept.
type ConnectionOrigin string

// The origins.
const (
	ConnectionFromFile    ConnectionOrigin = "file"     // the configuration file
	ConnectionFromDefault ConnectionOrigin = "default"  // the program's own configuration
	ConnectionFromStore   ConnectionOrigin = "database" // what operators have connected
)

// Values lists the origins.
func (ConnectionOrigin) Values() []string {
	return []string{string(ConnectionFromFile), string(ConnectionFromDefault), string(ConnectionFromStore)}
}

// Connection is a server that the service uses.
type Connection struct {
	ConnectionID string           `json:"connectionId"`
	Kind         ConnectionKind   `json:"kind"`
	Name         string           `json:"name"`
	From         ConnectionOrigin `json:"from"`
	HasKey       bool             `json:"hasKey"`
	Problem      *string          `json:"problem"` // why it is not used, and what to do
	ConnectionSettings
	Health    *ConnectionHealth `json:"health"` // as it was last checked; null before the first check
	CreatedAt *time.Time        `json:"createdAt"`
	UpdatedAt *time.Time        `json:"updatedAt"`
}

// Connections are all connections, those of the configuration first.
type Connections struct {
	Connections []Connection `json:"connections"`
}

// ConnectionReply is one connection.
type ConnectionReply struct {
	Connection Connection `json:"connection"`
}

// ConnectionState is whether a server answers as it should.
type ConnectionState string

// The states.
const (
	ConnectionHealthy ConnectionState = "healthy"
	ConnectionFailing ConnectionState = "failing"
)

// Values lists the states.
func (ConnectionState) Values() []string {
	return []string{string(ConnectionHealthy), string(ConnectionFailing)}
}

// ConnectionHealth is what a check of a server found.
type ConnectionHealth struct {
	State     ConnectionState `json:"state"`
	Message   string          `json:"message"` // what was found, or what is wrong and what to do
	CheckedAt time.Time       `json:"checkedAt"`
	BaseURL   string          `json:"baseUrl"` // the address that answered
	Models    []FoundModel    `json:"models"`
}

// ConnectionTest is the outcome of a test.
type ConnectionTest struct {
	Health ConnectionHealth `json:"health"`
}

// FoundModel is a model that a server has.
type FoundModel struct {
	ID            string `json:"id"`
	ContextLength *int   `json:"contextLength"`
	Vision        bool   `json:"vision"`
	Reasoning     bool   `json:"reasoning"`
}

// FoundServer is a server that answers on this machine.
type FoundServer struct {
	Kind      ConnectionKind `json:"kind"`
	Program   string         `json:"program"` // such as Ollama
	BaseURL   string         `json:"baseUrl"`
	Models    []FoundModel   `json:"models"`
	Connected bool           `json:"connected"` // a connection leads to it
}

// FoundServers are the servers that answer on this machine.
type FoundServers struct {
	Servers []FoundServer `json:"servers"`
}
