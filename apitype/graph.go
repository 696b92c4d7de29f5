package apitype

import "time"

// GraphDraft is a workflow of ComfyUI as an operator brings it, with what the operator decides about it.
type GraphDraft struct {
	ConnectionID string            `json:"connectionId,omitempty" wire:"connectionId,maxlen=100" doc:"The ComfyUI that it is checked against. When omitted: the first one that is connected."`
	Title        string            `json:"title,omitempty" wire:"title,maxlen=80" doc:"Name of the model for people. Default: from its id."`
	Tool         string            `json:"tool,omitempty" wire:"tool,maxlen=64" doc:"The tool that it is for. Default: guessed."`
	Set          map[string]string `json:"set,omitempty" wire:"set,maxlen=40" doc:"Where arguments go, such as 6.text for prompt, or 5.width,5.height for size; - means nowhere. What is left out is guessed."`
}

// GraphInput is an argument that a graph takes, where it goes, and why there.
type GraphInput struct {
	Argument string   `json:"argument"`
	Targets  []string `json:"targets"` // inputs of nodes, such as 6.text
	Node     string   `json:"node"`    // what the first is in the workflow: its title, or its class
	Value    string   `json:"value"`   // what the workflow has there, cut short
	Why      string   `json:"why"`
}

// GraphFile is a model file that a graph loads.
type GraphFile struct {
	Target string  `json:"target"`
	Folder *string `json:"folder"` // below ComfyUI's models; null when only the node knows
	Name   string  `json:"name"`
	From   *string `json:"from"` // where the workflow says that it can be fetched
}

// GraphPlace is an argument that can be given a place.
type GraphPlace struct {
	Argument string `json:"argument"`
	Kind     string `json:"kind"` // of the inputs that it can go to: text, number, image, video, audio, or size for two numbers
}

// GraphSettable is an input of a node whose value is at the node itself.
type GraphSettable struct {
	Target string `json:"target"`
	Node   string `json:"node"`
	Kind   string `json:"kind"` // text, number, image, video or audio
	Value  string `json:"value"`
}

// GraphMissingNode is a kind of node that a graph uses and the ComfyUI does not have.
type GraphMissingNode struct {
	Class   string  `json:"class"`
	Nodes   int     `json:"nodes"`   // of the graph
	Package *string `json:"package"` // that brings it; null when the workflow does not say
	URL     *string `json:"url"`     // of the package
	Hint    string  `json:"hint"`    // how to get it
}

// GraphFinding is something that an operator should know about a workflow.
type GraphFinding struct {
	Node *string `json:"node"` // its id in the graph
	Text string  `json:"text"`
}

// GraphCheck is what a ComfyUI has for a graph.
type GraphCheck struct {
	ConnectionID *string  `json:"connectionId"` // null where none was asked
	Connection   *string  `json:"connection"`   // its name
	Ready        *bool    `json:"ready"`        // whether it has all nodes and files; null where it was not asked
	Lacks        []string `json:"lacks"`
	Message      string   `json:"message"`
}

// GraphFacts are what was found in a workflow.
type GraphFacts struct {
	Tool   string       `json:"tool"`
	Format string       `json:"format"` // of the workflow: api or editor
	Type   string       `json:"type"`   // of what it makes: a media type
	Size   *string      `json:"size"`   // as the workflow has it, such as 1024x768
	Inputs []GraphInput `json:"inputs"`
	Needs  []string     `json:"needs"` // arguments with a file that every job must bring
	Files  []GraphFile  `json:"files"`
}

// GraphInspection is a workflow as it would become a model.
type GraphInspection struct {
	Title string `json:"title"`
	GraphFacts
	Tools        []string           `json:"tools"` // that a graph can be for
	Places       []GraphPlace       `json:"places"`
	Settable     []GraphSettable    `json:"settable"`
	MissingNodes []GraphMissingNode `json:"missingNodes"`
	Findings     []GraphFinding     `json:"findings"`
	Check        GraphCheck         `json:"check"`
}

// Graph is a graph of ComfyUI that an operator has brought, as a model.
type Graph struct {
	Name     string `json:"name"` // the id of the model
	Title    string `json:"title"`
	Selector string `json:"selector"` // by which calls of the tool choose the model
	// Argument is the argument of the tool that the selector is for.
	Argument string `json:"argument"`
	GraphFacts
	Problem   *string   `json:"problem"` // why it is not used, and what to do
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Graphs are all graphs that operators have brought, oldest first.
type Graphs struct {
	Graphs []Graph `json:"graphs"`
}

// GraphReply is one graph.
type GraphReply struct {
	Graph Graph `json:"graph"`
}

// GraphWithFiles is a graph with what it consists of, as files of graphs_dir and catalog_dir have it.
type GraphWithFiles struct {
	Graph   Graph  `json:"graph"`
	Source  string `json:"source"` // the graph, in ComfyUI's API format
	Mapping string `json:"mapping"`
	Catalog string `json:"catalog"`
}

// GraphInspectionReply is an inspection.
type GraphInspectionReply struct {
	Inspection GraphInspection `json:"inspection"`
}
