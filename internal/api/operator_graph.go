package api

import (
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/wire"
)

// workflowFile is a workflow as ComfyUI saves it, and what is decided about it.
type workflowFile struct {
	Workflow map[string]wire.Raw `wire:"workflow,required,maxlen=20000,maxbytes=1048576" doc:"The workflow as ComfyUI saves it, in the format of its editor or of its API."`
	apitype.GraphDraft
}

// draft is the workflow as the engine takes it.
func (f workflowFile) draft(name string) (graph.Draft, error) {
	text, err := wire.Marshal(f.Workflow)
	return graph.Draft{Name: name, Workflow: text, GraphDraft: f.GraphDraft}, err
}

func (s *Server) operatorGraphs(c *endpoint.Call, _ endpoint.Empty) (apitype.Graphs, error) {
	return s.operator(c).Graphs(c)
}

type inspectGraphRequest struct {
	Name string `wire:"name,maxlen=64" doc:"The id that the model would have."`
	workflowFile
}

func (s *Server) inspectGraph(c *endpoint.Call, q inspectGraphRequest) (out apitype.GraphInspectionReply, err error) {
	d, err := q.draft(q.Name)
	if err == nil {
		out.Inspection, err = s.operator(c).InspectGraph(c, d)
	}
	return out, err
}

type newGraphRequest struct {
	Name string `wire:"name,required,minlen=1,maxlen=64" doc:"The id of the model: small letters, digits, dots, dashes and underscores."`
	workflowFile
	Reason string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) createGraph(c *endpoint.Call, q newGraphRequest) (out apitype.GraphReply, err error) {
	d, err := q.draft(q.Name)
	if err == nil {
		out.Graph, err = s.operator(c).CreateGraph(c, d, q.Reason)
	}
	return out, err
}

type graphName struct {
	Name string `path:"name"`
}

func (s *Server) operatorGraph(c *endpoint.Call, q graphName) (apitype.GraphWithFiles, error) {
	return s.operator(c).Graph(c, q.Name)
}

type replaceGraphRequest struct {
	Name string `path:"name"`
	workflowFile
	Reason string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) replaceGraph(c *endpoint.Call, q replaceGraphRequest) (out apitype.GraphReply, err error) {
	d, err := q.draft(q.Name)
	if err == nil {
		out.Graph, err = s.operator(c).ReplaceGraph(c, d, q.Reason)
	}
	return out, err
}

type removeGraphRequest struct {
	Name   string `path:"name"`
	Reason string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) removeGraph(c *endpoint.Call, q removeGraphRequest) (apitype.GraphReply, error) {
	removed, err := s.operator(c).RemoveGraph(c, q.Name, q.Reason)
	return apitype.GraphReply{Graph: removed}, err
}
