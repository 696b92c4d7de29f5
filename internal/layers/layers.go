// Package layers is the map of the packages: the layer of each, and the imports
// that are forbidden besides. The test at the root of the module holds the code
// to it, and docgen draws it into docs/architecture.md.
package layers

// Layers are the packages, the lowest layer first. A package imports only from
// layers below its own. The root package is the empty path.
var Layers = [][]string{
	{""},
	{
		"internal/wire", "internal/yamldoc", "internal/filetype", "internal/clock", "internal/schema", "internal/thumbnail", "internal/layers", "internal/mint", "internal/detached", "internal/seal", "internal/admission", "internal/cursor", "internal/process", "internal/machine", "internal/negotiate", "internal/fleet/schedule", "apitype",
		"internal/codec/pcm", "internal/kit/codec/h264", "internal/kit/codec/srt", "internal/codec/safetensors",
		"internal/kit/studio/chance", "internal/kit/studio/lexicon", "internal/tonality", "internal/prose",
		"internal/kit/talk/token", "internal/kit/talk/phrase",
	},
	{
		"internal/catalog", "internal/database", "internal/lora/weights", "internal/graphimport",
		"internal/codec/mp4", "internal/codec/flac", "internal/codec/wav",
		"internal/mediameta", "internal/kit/studio/pixel",
	},
	{
		"internal/store", "internal/bus", "internal/blob", "internal/fetch", "internal/chain", "internal/llm", "internal/signin",
		"internal/config", "internal/telemetry", "internal/filter", "internal/manifest", "internal/probe", "internal/compose/draft",
		"internal/kit/studio/vector", "internal/kit/studio/selection", "internal/kit/studio/sound", "internal/kit/studio/mesh",
		"internal/kit/talk/slot",
	},
	{
		"internal/account", "internal/billing", "internal/analytics", "internal/media", "internal/journal", "internal/lora/source", "internal/endpoint", "internal/connection", "internal/modeldir",
		"internal/kit/studio/paint", "internal/kit/studio/voice", "internal/kit/studio/film",
		"internal/kit/talk/intent", "internal/kit/write",
	},
	{
		"internal/template", "internal/replay", "internal/compose", "internal/fleet", "internal/library", "internal/transfer", "internal/graph", "internal/pull", "internal/retention",
		"internal/kit/studio/edit", "internal/kit/studio/song", "internal/kit/studio/footage",
		"internal/kit/talk/answer",
	},
	{"internal/lora", "internal/webhook", "internal/spotcheck", "internal/kit/studio/motion", "internal/kit/talk/plan"},
	{"internal/workflow", "internal/operator", "internal/kit/talk"},
	{"internal/chat", "internal/live", "internal/generation"},
	{"internal/openai", "internal/anthropic", "internal/responses", "internal/replicate", "internal/sdapi", "internal/mcp", "internal/run"},
	{"internal/api", "console", "client"},
	{"internal/worker"},
	{"internal/kit/cpu/task", "internal/worker/comfyui", "internal/worker/comfyui/process", "internal/worker/remote", "internal/worker/child"},
	{"internal/kit/cpu/picture", "internal/kit/cpu/clip", "internal/kit/cpu/audio", "internal/kit/cpu/analysis"},
	{"internal/kit/cpu"},
	{"internal/kit"},
	{"internal/node"},
	{"cmd/atelier", "internal/docgen", "internal/kit/showcase", "internal/suites"},
}

// TestOnly are packages for tests. They may import anything, and only tests
// import them. A path that ends in "/..." stands for a package and all below it.
var TestOnly = []string{
	"internal/ateliertest/...", "internal/enginetest", "internal/simulation", "internal/pipetest", "internal/database/databasetest", "internal/store/storetest", "internal/blob/blobtest", "internal/codec/mp4/mp4test", "internal/kit/studio/studiotest",
	"internal/lora/loratest", "internal/compose/composetest", "internal/worktest", "bench/...",
}

// Ban is a rule that the order of the layers does not express.
type Ban struct {
	From  string   // a package, or with "/..." a package and all below it
	Never []string // what it must not import
	Only  []string // unless nil, all that it may import of this module
	Deep  bool     // also not through the packages that it imports
	Why   string
}

var (
	adapters = []string{"internal/database", "internal/store", "internal/bus", "internal/blob"}
	engines  = []string{
		"internal/account", "internal/billing", "internal/analytics", "internal/media", "internal/journal", "internal/compose", "internal/template",
		"internal/fleet", "internal/workflow", "internal/chat", "internal/run", "internal/replay", "internal/lora", "internal/spotcheck", "internal/live", "internal/library", "internal/operator", "internal/connection", "internal/pull", "internal/generation", "internal/retention",
	}
	service = append(append([]string{"internal/api", "internal/endpoint", "internal/node"}, adapters...), engines...)
)

// Bans are the forbidden imports.
var Bans = []Ban{
	{
		From: "internal/api", Never: adapters,
		Why: "a handler makes one call of an engine, and the engine owns its rows, nudges and objects",
	},
	{
		From: "internal/endpoint", Only: []string{"", "internal/wire", "internal/admission", "internal/detached", "internal/negotiate", "internal/telemetry"},
		Why: "it serves any route table, and gets the functions of engines that it needs with its Config",
	},
	{
		From: "internal/worker/...", Never: service, Deep: true,
		Why: "a worker runs on any machine and knows the service only by its public API",
	},
	{
		From: "internal/kit", Never: service, Deep: true,
		Why: "the offline kit renders as any worker does, and answers from its request and the catalog as a model on a server would",
	},
	{
		From: "internal/kit/studio/...", Only: []string{"internal/kit/studio/...", "internal/kit/codec/...", "internal/codec/...", "internal/filetype", "internal/tonality"},
		Why: "the studio makes media for any caller and knows nothing of the service",
	},
	{
		From: "internal/kit/codec/...", Only: []string{"internal/kit/codec/...", "internal/codec/..."},
		Why: "codecs read and write formats and know nothing of the service or the studio",
	},
	{
		From: "internal/codec/...", Only: []string{"internal/codec/..."},
		Why: "codecs read and write formats and know nothing of the service or the studio",
	},
	{
		From: "internal/fleet/schedule", Only: []string{""},
		Why: "who gets which job is a function of what was read before",
	},
	{
		From: "internal/probe", Only: []string{"internal/codec/...", "internal/filetype"},
		Why: "it reads headers of files and knows nothing of the service or the studio",
	},
	{
		From: "internal/filetype", Only: []string{},
		Why: "the studio and the codecs import it, and must not reach the service through it",
	},
	{
		From: "console", Only: []string{"", "internal/negotiate"},
		Why: "the console uses the public API, as other clients do; its Go code only serves files",
	},
	{
		From: "apitype", Only: []string{""},
		Why: "programs outside this module use the shapes of the API without the service",
	},
	{
		From: "client", Only: []string{"", "internal/mint", "apitype"},
		Why: "programs outside this module use it, and get the vocabulary and the shapes of answers with it, nothing else",
	},
}

// Folder is a package of which those below it are a part: other packages import only the
// package itself.
type Folder struct {
	Root  string
	Users []string // the packages that import it; tests and packages for tests may too
	Why   string
}

// Folders are the folders with such a package.
var Folders = []Folder{
	{
		Root: "internal/kit", Users: []string{"internal/node", "cmd/atelier"},
		Why: "the service sees a renderer and a completer of the offline kit, and nothing else",
	},
}

// SharedLibraries are the modules that more than one package may import, and
// why.
var SharedLibraries = map[string]string{
	"github.com/nats-io/nats-server/v2": "a real server in the tests of several packages",
	"github.com/HugoSmits86/nativewebp": "kit/cpu/picture, and the tests of kit/cpu and mediameta",
	"github.com/jackc/pgx/v5":           "database, and the test databases beside it",
	"zombiezen.com/go":                  "database, and the test databases beside it",
	"golang.org/x/image":                "decoders in media, probe and the workers, decoders in kit/studio/pixel, letters in kit/studio/paint, scaling in thumbnail",
}

// StandardJSON are the packages that may import encoding/json outside their tests, and
// why. All others use internal/wire: the two differ in nil slices, the case of names,
// duplicate names and escapes. A path that ends in "/..." stands for all below it too.
var StandardJSON = map[string]string{
	"":                        "it is below internal/wire",
	"apitype":                 "programs outside this module use it, and it must not import internal/wire",
	"client":                  "programs outside this module use it, and it must not import internal/wire",
	"console":                 "it must not import internal/wire",
	"internal/docgen":         "it reads the OpenAPI document, as other programs do",
	"cmd/atelier":             "its commands use the client, as other programs do",
	"internal/kit/showcase":   "it uses the client, as other programs do",
	"internal/probe":          "it must not import internal/wire",
	"internal/codec/...":      "they must not import internal/wire",
	"internal/kit/studio/...": "they must not import internal/wire",
	"internal/kit/talk/...":   "it reads conversations as a model server would",
	"internal/worker/comfyui": "it sends the numbers of a graph as they were written, as json.Number",
	"internal/graphimport":    "it keeps the numbers of a graph as they were written, as json.Number",
	"internal/kit/cpu/task":   "it writes the files of artifacts, whose bytes must not change",
}
