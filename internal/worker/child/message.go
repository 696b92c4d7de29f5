package child

import (
	"io"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// Command is the argument with which the program is started as a child. It is not a
// command for users.
const Command = "render-job"

// order is the first line that a child reads.
type order struct {
	Job      apitype.Assignment `json:"job"` // without addresses and receipts, which a child does not need
	Folder   string             `json:"folder"`
	Files    map[string]string  `json:"files"`
	Previews bool               `json:"previews"` // whether they are shown
	Limits   limits             `json:"limits"`
}

// limits are those of one process of a child. The watchdog of the parent limits all
// of them together.
type limits struct {
	Memory    int64         `json:"memory"`    // bytes that it should stay below, for now
	MaxMemory int64         `json:"maxMemory"` // bytes that it may have at most
	CPU       time.Duration `json:"cpu"`       // processor time; 0: no limit
	FileBytes int64         `json:"fileBytes"` // of one file that it writes
	OpenFiles uint64        `json:"openFiles"`
}

// grant is a line that a child reads after its order: it may have more memory.
type grant struct {
	Memory int64 `json:"memory"`
}

// report is a line that a child writes. Its last one has the outcome.
type report struct {
	Progress *progress       `json:"progress,omitempty"`
	Preview  *preview        `json:"preview,omitempty"`
	Done     bool            `json:"done,omitempty"`
	Outputs  []worker.Output `json:"outputs,omitempty"`
	Failure  *worker.Failure `json:"failure,omitempty"`
}

type progress struct {
	Part    float64 `json:"part"`
	Message string  `json:"message"`
}

type preview struct {
	Artifact    string `json:"artifact"`
	ContentType string `json:"contentType"`
	Picture     []byte `json:"picture"`
}

// maxPreview bounds a preview; larger ones are not sent.
const maxPreview = 1 << 20

// writeLine writes a message as a line. The end of the other process is detected
// elsewhere.
func writeLine(w io.Writer, message any) {
	text, err := wire.MarshalV1(message) // client.Job is declared for encoding/json
	if err == nil {
		_, _ = w.Write(append(text, '\n'))
	}
}
