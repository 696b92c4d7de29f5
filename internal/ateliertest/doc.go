// Package ateliertest boots a whole service in a test and runs scenarios
// against it over HTTP.
//
// A scenario is a text file that reads like the specification. Paragraphs are
// separated by blank lines; # begins a comment. A paragraph is one of:
//
//	config limits.account_reads_per_minute: 3
//	    sets a key of the configuration; before the first request.
//
//	account alice --spark 12.5 --plan unlimited
//	    opens an account; the flags are those of "atelier account create".
//	    ${alice.wallet}, ${alice.key} and ${alice.token} then stand for its
//	    credentials. With --service it is the account of the service's own
//	    workers, which may leave receipts.
//
//	plan alice unlimited active 2026-12-31T00:00:00Z
//	credit alice --svc 3
//	revoke alice
//	revoke alice all
//	suspend alice
//	reinstate alice
//	code alice
//	advance 3h
//	    change the world between requests; the last one moves the clock, which
//	    otherwise moves by a millisecond with each reading. With
//	    all, every key of the account is revoked and its session tokens end.
//	    ${alice.code} is the one-time code to sign in to the console.
//
//	sample
//	    has the node take a sample for the history of the installation, as it does
//	    every minute.
//
//	usage alice
//	[{"app": "studio", "kind": "render", "token": "spark", "charges": 2, "spent": "3.200000"}]
//	    holds what the account has spent, by application, kind of work and token,
//	    against what is expected.
//
//	POST /v1/things?x=1 as alice
//	> Header: value
//	{"body": true}
//	=> 201
//	< Header: value
//	{"status": "success"}
//	    sends a request (as alice: with her key; as alice by token: with a
//	    session token) and checks the answer. In place of the path may stand a
//	    saved URL. In place of the body may stand the parts of a form: "part n 2" is a
//	    text, and "part image @a.png ${base64 png 64 64}" a file.
//
//	worker wil
//	    connects a worker of an account that was opened with --worker. It offers
//	    every native model and tool, or with --models a,b only those; with
//	    --fallback it stands in for others. It is on the fast network and has no NFT,
//	    unless --network relaxed or --nft 7 say otherwise. ${wil.worker} is the id of
//	    its session.
//
//	drain ${wil.worker}
//	drain ${wil.worker} no
//	    has a worker take no more jobs, or take them again, as "atelier fleet
//	    drain" does.
//
//	form early /v2/image/uploadUrl?type=complete&jobId=${project}&imageId=${artifact} as wil
//	post early image/png ${base64 png 64 32}
//	    asks for an upload form and keeps it under a name; posts a file with it,
//	    as often as it is said, and expects the storage to take it.
//
//	render
//	{"toolName": "generate_image", "arguments": {"prompt": "a fox"}}
//	    has the worker wait for the next job, hold it against what is expected,
//	    upload a small real file for each of its artifacts and complete it. What
//	    else it may do with the job: complete 1 (make only the first artifact), ordered
//	    (make pictures of the ordered size, and clips of the ordered length),
//	    fail CODE MESSAGE, drop, hold (keep it), upload 1 (the first artifact, and
//	    keep it), progress 0.5 MESSAGE (and keep it), cancelled (be told to stop,
//	    and give it up). A job that it keeps is
//	    the one that the next render that matches it speaks of.
//
//	model wise --context 32768 --in 1 --out 2 --reasoning --vision --replaces old --extra top_a
//	    starts a language model server and has the service offer its model, at
//	    prices for a million tokens; before the first request. --extra names a
//	    request field that the server is sent besides the usual ones. --key and
//	    --covered-by-plans set the keys api_key and covered_by_plans. --tells
//	    vllm:4096 (or llamacpp, ollama) has it report this context as that server
//	    does, and --context 0 configures none.
//
//	says
//	thinks "A fox."
//	"On it. "
//	call generate_image {"prompt": "a fox"}
//	    is the next answer of the model, piece by piece. Other lines: finish
//	    REASON, usage IN OUT CACHED, fail STATUS MESSAGE, wait (until the
//	    scenario says go) and break (the connection is closed).
//
//	asked
//	{"model": "wise", "temperature": 0.7}
//	    holds the next request that the model got against what is expected.
//
//	tools wise 8-25 960
//	add_subtitles Burn subtitles into a video.
//	    does so with the tools in that request: how many there are, how many tokens
//	    they take at most, and some of them, with their descriptions.
//
//	hub ann/fox fox.safetensors krea-2 --rank 16 --naming diffusers --dtype F16 --seed 2
//	civitai 77 1001 krea-2
//	    start stand-ins of the sites that LoRAs are imported from, before the first
//	    request, and put a LoRA file for a family on one: in a repository, or as a
//	    version of a model. More can be put later.
//
//	site api 503
//	    has a part of the sites (api, file or cdn) answer with a status, hang, or
//	    do well again.
//
//	comfyui rig
//	    starts a stand-in of a ComfyUI, which has the nodes for SDXL and a folder of models, and renders
//	    nothing. ${rig} is its URL, ${rig.dir} its folder.
//
//	lora ${fox} revoke
//	    does with a personal LoRA what "atelier lora" does: revoke, hold or release.
//
//	receiver hook
//	answers hook 503
//	received hook ${secret}
//	{"type": "workflow.completed", "data": {"status": "completed"}}
//	    start a receiver of webhooks, whose URL is ${hook}; have it answer with a status; hold the next request that it
//	    got against what is expected, and check that the secrets have signed it. ${delivery} is its id.
//
//	logged level=WARN .* model=wise
//	    waits until the service has logged a line that matches, besides those that
//	    were waited for before.
//
//	stream POST /v1/things as alice
//	{"body": true}
//	=> 200
//	data {"part": 1}
//	data [DONE]
//	    opens a stream by sending a body. A frame that has neither an id nor an
//	    event begins with data. The line text "Once upon a time." reads the chunks
//	    of an answer until their words make up the text.
//
//	leave
//	restart
//	    leave the stream that was opened last; stop the service and start
//	    another on its database.
//
//	stream /v1/things/1/events/stream as alice
//	> Last-Event-ID: 3
//	< Content-Type: text/event-stream
//	4 thing_changed {"payload": {"to": "red"}}
//	- thing_status {"status": "done"}
//	end
//	    opens a stream of server-sent events and reads the frames that come next:
//	    id (or -, or * for any), event, data; a line that begins with a space continues the
//	    data. Comments between them are passed over. The line : is a comment that
//	    is waited for, and so shows that the stream is open; end is its end; ...
//	    lets frames pass until the next one that is expected. The stream stays
//	    open while later paragraphs act.
//
//	frames
//	5 thing_changed {"payload": {"to": "blue"}}
//	    reads on in the stream that was opened last.
//
// An expected object lists the members that matter; the others may be there. Expected arrays are complete, and in order
// unless their first item is <any order>. The strings <any>, <string>, <number>, <boolean>, <uuid>, <time>, <absent>,
// <save NAME> and <match REGEXP> stand for values; a saved value is ${NAME} in the paragraphs that follow. ${url} is
// where the service is, ${x*200} is two hundred times x, ${{"a": 1}*3} is three such objects with commas between them,
// and ${picture png 64 32} is a picture of that size as a data URI; ${base64 png 64 32} is its bytes alone, and
// ${sample video/mp4} those of a small file of a type. A line that begins with | is a line of a text body. The line
// file and base64 expects an answer that is this file.
//
// Every answer is also held against the service's own OpenAPI document.
//
// Whatever a scenario waits for is a signal, such as an answer to a long poll
// or a frame of a stream, and never time.
package ateliertest
