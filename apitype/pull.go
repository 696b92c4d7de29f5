package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// PullFileState is the state of a file of a pull.
type PullFileState string

// The states.
const (
	PullFilePresent PullFileState = "present" // it was there, perhaps under another name
	PullFileMissing PullFileState = "missing" // it is not there yet
	PullFileFetched PullFileState = "fetched"
	PullFileFailed  PullFileState = "failed"
)

// Values lists the states.
func (PullFileState) Values() []string {
	return []string{string(PullFilePresent), string(PullFileMissing), string(PullFileFetched), string(PullFileFailed)}
}

// PullFile is a file that a model needs.
type PullFile struct {
	Folder string        `json:"folder"` // below the folder of models
	Name   string        `json:"name"`
	State  PullFileState `json:"state"`
	Bytes  int64         `json:"bytes"` // 0 while it is not known
	Done   int64         `json:"bytesDone"`
}

// Pull is the files of a model on their way into the folder of a ComfyUI.
type Pull struct {
	PullID         string            `json:"pullId"`
	ModelID        string            `json:"modelId"`
	ConnectionID   string            `json:"connectionId"`
	ModelsDir      string            `json:"modelsDir"`
	State          atelier.PullState `json:"state"`
	BytesTotal     int64             `json:"bytesTotal"` // of the files whose size is known
	BytesDone      int64             `json:"bytesDone"`
	BytesPerSecond int64             `json:"bytesPerSecond"` // that arrive now
	File           *string           `json:"file"`           // that is being fetched
	Files          []PullFile        `json:"files"`
	Problem        *string           `json:"problem"` // why it failed, and what to do
	CreatedAt      time.Time         `json:"createdAt"`
	StartedAt      *time.Time        `json:"startedAt"`
	EndedAt        *time.Time        `json:"endedAt"`
}

// PullReply is one pull.
type PullReply struct {
	Pull Pull `json:"pull"`
}

// ModelFolder is a folder into which files of a model can be fetched.
type ModelFolder struct {
	ConnectionID string `json:"connectionId"` // of the ComfyUI that reads it
	Name         string `json:"name"`         // of the connection
	ModelsDir    string `json:"modelsDir"`
	Pull         *Pull  `json:"pull"` // the latest one of the model; null before the first
}

// ModelFolders are the folders into which files of a model can be fetched.
type ModelFolders struct {
	Folders []ModelFolder `json:"folders"`
}

// NewPull asks for the files of a model.
type NewPull struct {
	ConnectionID string `json:"connectionId,omitempty" wire:"connectionId,maxlen=100" doc:"The ComfyUI that needs them. May be left out where one connection names a folder."`
	Reason       string `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}
