// Package layers is the map of the packages: the layer of each, and the imports
// that are forbidden besides. The test at the root of the module holds the code
// to it, and docgen draws it into docs/architecture.md.
package layers

// Layers are the packages, the lowest layer first. A package imports only from
// layers below its own. The root package is the empty path.
var Layers = [][]string{
	{""},
	{
		"internal/wire", "internal/yamldoc", "internal/filetype", "internal/clock", "internal/schema", "internal/thumbnail", "internal/layers", "internal/mint", "internal/detached", "internal/admission", "internal/cursor", "internal/process", "internal/negotiate", "internal/fleet/schedule", "apitype",
		"internal/codec/pcm", "internal/codec/h264", "internal/codec/srt", "internal/codec/safetensors",
		"internal/studio/chance", "internal/studio/lexicon", "internal/studio/tonality",
		"internal/llm/offline/token", "internal/llm/offline/phrase",
	},
	{
		"internal/catalog", "internal/database", "internal/lora/weights",
		"internal/codec/mp4", "internal/codec/flac", "internal/codec/wav",
		"internal/studio/pixel",
		"internal/llm/offline/schema",
	},
	{
		"internal/store", "internal/bus", "internal/blob", "internal/fetch", "internal/chain", "internal/llm",
		"internal/config", "internal/telemetry", "internal/filter", "internal/manifest", "internal/probe",
		"internal/studio/vector", "internal/studio/selection", "internal/studio/sound", "internal/studio/mesh",
		"internal/llm/offline/slot",
	},
	{
		"internal/account", "internal/billing", "internal/analytics", "internal/media", "internal/journal", "internal/lora/source", "internal/endpoint",
		"internal/studio/paint", "internal/studio/voice", "internal/studio/film",
		"internal/llm/offline/intent",
	},
	{
		"internal/template", "internal/replay", "internal/compose", "internal/fleet", "internal/library",
		"internal/studio/edit", "internal/studio/song", "internal/studio/footage",
		"internal/llm/offline/answer",
	},
	{"internal/lora", "internal/spotcheck", "internal/studio/motion", "internal/llm/offline/plan"},
	{"internal/workflow", "internal/operator", "internal/llm/offline"},
	{"internal/chat", "internal/live"},
	{"internal/openai", "internal/run"},
	{"internal/api", "console", "client"},
	{"internal/worker"},
	{"internal/worker/cpu/task", "internal/worker/comfyui", "internal/worker/comfyui/process", "internal/worker/remote", "internal/worker/child"},
	{"internal/worker/cpu/picture", "internal/worker/cpu/clip", "internal/worker/cpu/audio", "internal/worker/cpu/analysis"},
	{"internal/worker/cpu"},
	{"internal/node"},
	{"cmd/atelier", "internal/docgen", "internal/showcase", "internal/suites"},
}

// TestOnly are packages for tests. They may import anything, and only tests
// import them. A path that ends in "/..." stands for a package and all below it.
var TestOnly = []string{
	"internal/ateliertest/...", "internal/enginetest", "internal/pipetest", "internal/database/databasetest", "internal/store/storetest", "internal/blob/blobtest", "internal/codec/mp4/mp4test", "internal/studio/studiotest",
	"internal/lora/loratest", "internal/worktest", "bench/...",
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
		"internal/fleet", "internal/workflow", "internal/chat", "internal/run", "internal/replay", "internal/lora", "internal/spotcheck", "internal/live", "internal/library", "internal/operator",
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
		From: "internal/llm/offline/...", Never: service, Deep: true,
		Why: "the offline model answers from its request and the catalog, as a model on a server would",
	},
	{
		From: "internal/studio/...", Only: []string{"internal/studio/...", "internal/codec/...", "internal/filetype"},
		Why: "the studio makes media for any caller and knows nothing of the service",
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

// SharedLibraries are the modules that more than one package may import, and
// why.
var SharedLibraries = map[string]string{
	"github.com/nats-io/nats-server/v2": "a real server in the tests of several packages",
	"github.com/HugoSmits86/nativewebp": "worker/cpu/picture, and the tests of worker/cpu",
	"github.com/jackc/pgx/v5":           "database, and the test databases beside it",
	"zombiezen.com/go":                  "database, and the test databases beside it",
	"golang.org/x/image":                "decoders in media, probe and the workers, decoders in studio/pixel, letters in studio/paint, scaling in thumbnail",
}

// StandardJSON are the packages that may import encoding/json outside their tests, and
// why. All others use internal/wire: the two differ in nil slices, the case of names,
// duplicate names and escapes. A path that ends in "/..." stands for all below it too.
var StandardJSON = map[string]string{
	"":                         "it is below internal/wire",
	"apitype":                  "programs outside this module use it, and it must not import internal/wire",
	"client":                   "programs outside this module use it, and it must not import internal/wire",
	"console":                  "it must not import internal/wire",
	"internal/docgen":          "it reads the OpenAPI document, as other programs do",
	"cmd/atelier":              "its commands use the client, as other programs do",
	"internal/showcase":        "it uses the client, as other programs do",
	"internal/probe":           "it must not import internal/wire",
	"internal/codec/...":       "they must not import internal/wire",
	"internal/studio/...":      "they must not import internal/wire",
	"internal/llm/offline/...": "it reads schemas and conversations as a model server would",
	"internal/worker/comfyui":  "it sends the numbers of a graph as they were written, as json.Number",
	"internal/worker/cpu/task": "it writes the files of artifacts, whose bytes must not change",
}
