package api

import "github.com/atelier-project/atelier/internal/endpoint"

// sections are the sections of the reference. The last has the endpoints of no other.
var sections = []endpoint.Section{
	{Name: "Account and usage", About: "Identity, balance, plan and usage.", Prefixes: []string{"/v2/account", "/v4/account", "/v1/subscriptions", "/v2/wallet"}},
	{Name: "Keys and ledger", About: "API keys, session tokens, and every change of the balance.", Prefixes: []string{"/v1/account"}},
	{Name: "Console sessions", About: "How the web console signs in: a cookie and the header Atelier-Console, which work only together and for its own pages.", Prefixes: []string{"/v1/console"}},
	{Name: "Media and image URLs", About: "Signed uploads and downloads.", Prefixes: []string{"/v2/media", "/v2/image", "/storage"}},
	{Name: "Saved assets", About: "Uploads that are kept for reuse.", Prefixes: []string{"/v1/assets"}},
	{Name: "Workflow templates", About: "Saved plans with declared inputs.", Prefixes: []string{"/v1/creative-agent/workflows/templates"}},
	{Name: "Creative workflows", About: "Durable workflows of media tools, with an event log.", Prefixes: []string{"/v1/creative-agent/workflows"}},
	{Name: "Library", About: "What workflows have made, with favourites, tags and boards.", Prefixes: []string{"/v1/artifacts", "/v1/library"}},
	{Name: "Account events", About: "One stream of everything that changes.", Prefixes: []string{"/v1/events"}},
	{Name: "Webhooks", About: "Signed requests to addresses of an account when something happens.", Prefixes: []string{"/v1/webhooks"}},
	{Name: "Network", About: "Connected workers, their jobs and the queues.", Prefixes: []string{"/v1/network"}},
	{Name: "Projects", About: "Submitted generations.", Prefixes: []string{"/v2/projects"}},
	{Name: "Workers", About: "The protocol between the service and programs that render.", Prefixes: []string{"/v1/worker/sessions"}},
	{Name: "Worker analytics", About: "What workers have done, by UTC day and over the lifetime. Public.", Prefixes: []string{"/v1/analytics", "/v1/model-renders"}},
	{Name: "Model discovery", About: "Models, tools, demand, samples and releases. Public.", Prefixes: []string{"/v1/model-", "/v1/tool-", "/v1/worker", "/v1/loras/comfy"}},
	{Name: "Personal LoRAs", About: "LoRA files that an account imports for its own renders.", Prefixes: []string{"/v1/loras/personal"}},
	{Name: "Chat completions", About: "Conversations with models that can make media.", Prefixes: []string{"/v1/chat/completions", "/v1/completions"}},
	{Name: "Responses", About: "Conversations in the shapes of OpenAI's Responses API: those that are stored are chat runs.", Prefixes: []string{"/v1/responses"}},
	{Name: "Embeddings", About: "Vectors of texts, in the shapes of OpenAI's API, by the connected model servers.", Prefixes: []string{"/v1/embeddings"}},
	{Name: "Moderations", About: "The content filter, in the shapes of OpenAI's API.", Prefixes: []string{"/v1/moderations"}},
	{Name: "Messages", About: "Conversations in the shapes of Anthropic's API, over the same language models.", Prefixes: []string{"/v1/messages"}},
	{Name: "Images", About: "Pictures in the shapes of OpenAI's API: each request is a workflow, whose result it waits for.", Prefixes: []string{"/v1/images"}},
	{Name: "Videos", About: "Clips in the shapes of OpenAI's API: each is a workflow, which a client reads until it is over.", Prefixes: []string{"/v1/videos"}},
	{Name: "Speech", About: "Spoken texts in the shapes of OpenAI's API.", Prefixes: []string{"/v1/audio"}},
	{Name: "Model Context Protocol", About: "The media tools for programs that speak the protocol, over streamable HTTP without sessions.", Prefixes: []string{"/mcp", "/.well-known"}},
	{Name: "Durable chat runs", About: "Turns of a conversation that outlive a connection, pause for money and survive a crash.", Prefixes: []string{"/v1/chat/runs"}},
	{Name: "Conversations", About: "The chat runs of a session together.", Prefixes: []string{"/v1/chat/conversations"}},
	{Name: "Direct tool execution", About: "Composition and planning tools that answer at once.", Prefixes: []string{"/v1/creative-agent/tools"}},
	{Name: "Replay records", About: "What runs of an agent did, as its client recorded it.", Prefixes: []string{"/v1/replay"}},
	{Name: "Language models", About: "The models that chat completions take.", Prefixes: []string{"/v1/models"}},
	{Name: "Operators", About: "The installation: accounts, connected servers, workers, jobs, LoRAs and reviews. These need an API key of an account with the operator role.", Prefixes: []string{"/v1/operator"}},
	{Name: "Operations", About: "Health, metrics and this document."},
}
