package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The reference: found by searching, samples that follow the form, and requests that are
// tried in the page, also without signing in.
func TestReference(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	p := openPage(t, s.URL, desktop)
	p.open("/docs")
	p.see("heading", "API reference")
	p.see("link", "Composition tools")
	p.checkAccess("overview")

	p.press("/") // moves to the search
	p.press("lifetime/nft")
	p.seeText("1 match")
	p.press("\r")
	p.wait("the endpoint that was found", `location.hash === "#getV1AnalyticsLifetimeNftNftTokenId" && document.getElementById("getV1AnalyticsLifetimeNftNftTokenId") !== null`)
	p.fill("Search the reference", "seconds to replace")
	p.see("link", "replace_video_segment")
	p.fill("Search the reference", "")

	// The list says what each endpoint does, and its path within its own width.
	p.open("/docs#getV1CreativeAgentWorkflows")
	p.see("link", "Start a workflow POST /v1/creative-agent/workflows")
	p.wait("no path beyond the list", `(() => { const nav = document.getElementById("ref-list"); return nav.querySelector(".ref-path") !== null && nav.scrollWidth <= nav.clientWidth })()`)

	// Signed out, what is public can be tried.
	p.open("/docs#getV1LorasComfy")
	p.see("heading", "List public LoRAs")
	p.click("button", "Go")
	p.wait("a sample in Go", `location.search === "?lang=go" && location.hash === "#getV1LorasComfy" && document.querySelector("#getV1LorasComfy .ref-sample code").textContent.startsWith("package main")`)
	p.click("button", "Send")
	p.seeText("200 OK")
	p.seeText("X-Request-Id")
	p.wait("coloured JSON", `document.querySelector("#getV1LorasComfy .ref-output .hljs-attr") !== null`)
	p.checkAccess("an answer")
	p.open("/docs#postV1CreativeAgentToolsExecute")
	p.see("link", "Sign in")
	p.gone("button", "Send")

	// Signing in leads back to the endpoint.
	p.open("/docs?lang=javascript#postV1CreativeAgentToolsExecute")
	p.click("link", "Sign in")
	p.fill("API key", s.Key)
	p.checkAccess("signing in")
	p.click("button", "Sign in")
	p.seeText("which may spend from your balance")
	p.wait("the address", `location.pathname + location.search + location.hash === "/docs?lang=javascript#postV1CreativeAgentToolsExecute"`)
	p.fill("Body", "{")
	p.click("button", "Send")
	p.seeText("The body is not JSON")
	p.fill("Body", `{"tool": "compose_lyrics", "arguments": {"prompt": "it's a fox"}}`)
	p.wait("the sample of the form", `document.querySelector(".ref-sample code").textContent.includes("it's a fox")`)
	p.click("button", "Send")
	p.seeText("200 OK")
	p.checkAccess("a POST")
	p.click("button", "Sign out") // the page is public, what it has shown is not
	p.wait("the endpoint without its answer", `document.querySelector(".ref-sample code") !== null && !document.querySelector(".ref-output pre") && !document.body.innerText.includes("it's a fox")`)
	p.click("link", "Sign in")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("button", "Send")

	// A tool is tried in the form of its operation, and the answer leads to what was started.
	p.open("/docs#tool-generate_image")
	p.click("link", "Try it: generate_image")
	p.wait("the body of the request", `document.activeElement.id === "postV1CreativeAgentWorkflows.body" && document.activeElement.value.includes("generate_image")`)
	p.wait("the form in sight", `(() => { const { top } = document.activeElement.closest("form").getBoundingClientRect(); return top >= 0 && top < innerHeight / 2 })()`)
	evaluate[bool](p, `(document.getElementById("postV1CreativeAgentWorkflows.body").form.requestSubmit(), true)`)
	p.click("link", "Open this workflow")
	p.wait("the workflow", `location.pathname.startsWith("/workflows/")`)

	// A stream is shown as it comes, and stopped.
	run := s.call("POST", "/v1/chat/runs", map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Make a picture of a red fox."}},
		"runtimeConfig": map[string]any{"requireJobConfirmation": true}})["run"].(map[string]any)
	p.open("/docs#getV1ChatRunsIdEventsStream")
	const section = `document.getElementById("getV1ChatRunsIdEventsStream")`
	p.wait("the form", section+` !== null`)
	p.wait("the focus", `(() => { const e = document.getElementById("getV1ChatRunsIdEventsStream.id"); e.focus(); e.select(); return document.activeElement === e })()`)
	p.press(run["runId"].(string))
	p.press("\r")
	p.wait("events", section+`.querySelector(".ref-output pre")?.textContent.includes("run_waiting_for_user") === true`)
	p.press("\r") // the field still has the focus: the same key stops
	p.wait("the end of the stream", section+`.querySelector(".ref-output").textContent.includes("Stopped.")`)

	p.open("/docs#tool-generate_video")
	p.see("heading", "generate_video")
	p.checkAccess("tools")

	// A tool is tried with its own arguments, and the answer comes into view.
	p.open("/docs#tool-compose_lyrics")
	p.click("link", "Try it: compose_lyrics")
	const execute = `document.getElementById("postV1CreativeAgentToolsExecute")`
	p.wait("the tool in the body", `JSON.parse(`+execute+`.querySelector("textarea").value).tool === "compose_lyrics"`)
	const form = execute + `.querySelector("form")`
	p.wait("the place of the form", `location.hash === "#postV1CreativeAgentToolsExecute" && `+form+`.getBoundingClientRect().top >= 0 && `+form+`.getBoundingClientRect().top < innerHeight / 2`)
	p.place("button", "Send")
	p.do(chromedp.EmulateViewport(1280, 500))
	p.wait("the key on Send", `(() => { const e = `+execute+`.querySelector(".ref-trial [type=submit]"); e.focus(); return document.activeElement === e })()`)
	p.press("\r")
	p.wait("the answer in view", `(() => { const r = `+execute+`.querySelector(".ref-result").getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight })()`)

	dark := openPage(t, s.URL, night)
	dark.open("/docs#getV1AccountLedger")
	dark.see("heading", "Keys and ledger")
	dark.checkAccess("a group at night")
	small := openPage(t, s.URL, phone)
	small.open("/docs#tool-enhance_prompt")
	small.see("heading", "enhance_prompt")
	small.checkAccess("tools on a phone")
	small.click("button", "Contents")
	small.click("link", "Durable chat runs")
	small.see("heading", "Durable chat runs")
	small.checkAccess("a group on a phone")
}

// codeSample is one sample as the page shows it.
type codeSample struct{ ID, Method, Path, Code string }

// readSamples reads the samples of all operations from the page, by language.
func readSamples(p *page) map[string][]codeSample {
	p.t.Helper()
	p.open("/docs")
	p.see("heading", "Contents")
	return evaluate[map[string][]codeSample](p, `(async () => {
		const groups = [...document.querySelectorAll(".ref-contents a")].map((a) => a.getAttribute("href")).filter((href) => href.startsWith("#group-"));
		const frame = () => new Promise(requestAnimationFrame);
		const samples = {};
		for (const group of groups) {
			location.hash = group;
			while (!document.getElementById(group.slice(1))) await frame();
			for (const language of ["curl", "Python", "JavaScript", "Go"]) {
				const buttons = [...document.querySelectorAll(".ref-sample .choice")].filter((b) => b.textContent === language);
				buttons[0].click();
				while (buttons.some((b) => b.ariaPressed !== "true")) await frame();
				for (const section of document.querySelectorAll(".ref-operation")) {
					const text = (selector) => section.querySelector(selector).textContent;
					(samples[language] ??= []).push({ID: section.id, Method: text(".ref-endpoint .ref-method"), Path: text(".ref-endpoint .ref-path"), Code: text(".ref-sample code")});
				}
			}
		}
		return samples;
	})()`)
}

// Every sample runs as it is pasted: the shell or the interpreter accepts it, and the service
// finds nothing wrong with the request.
func TestSamples(t *testing.T) {
	t.Parallel()
	// No worker renders what the samples start.
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	p := openPage(t, s.URL, desktop)
	byLanguage := readSamples(p)
	samples := byLanguage["curl"]
	if len(samples) < 90 {
		t.Fatalf("got %d samples, want 90 or more", len(samples))
	}
	dir := t.TempDir()
	for _, each := range samples {
		switch each.ID {
		case "postV1LorasPersonal": // asks another site; TestSamplesOfTheReference gives it one
			continue
		case "postV1OperatorModelsNamePull": // needs a connection with a folder; TestSamplesOfTheReference gives it one
			continue
		case "postV1LorasPersonalUpload", "postV1ImagesEdits", "postV1ImagesVariations", "postV1Videos", "postV1AudioTranscriptions", "postV1AudioTranslations", "postReplicateV1Files", "postV1Files": // their bytes stand for a file
			continue
		case "postV1ImagesGenerations", "postV1AudioSpeech", "postSdapiV1Txt2img", "postSdapiV1Img2img": // they wait for a worker
			continue
		case "postMcp": // its messages are in the protocol's own reference
			continue
		}
		t.Run("curl "+each.ID, func(t *testing.T) { runCurl(t, s, dir, each) })
	}

	// A sample of each shape in the other languages.
	chosen := map[string]int{"getHealthz": 200, "postV1CreativeAgentToolsExecute": 200, "postStorage": 403, "putStorageKey": 403}
	for _, l := range []struct {
		name, program, file string
		args                []string
		check               func(t *testing.T, all []codeSample)
	}{
		{"Python", "python3", "sample.py", nil, checkPython},
		{"JavaScript", "node", "sample.mjs", nil, checkJavaScript},
		{"Go", "go", "sample.go", []string{"run"}, checkGo},
	} {
		t.Run(l.name, func(t *testing.T) {
			path, err := exec.LookPath(l.program)
			if err != nil {
				t.Skipf("no %s: %v", l.program, err)
			}
			all := byLanguage[l.name]
			if len(all) != len(samples) {
				t.Errorf("got %d samples, want %d", len(all), len(samples))
			}
			l.check(t, all)
			found := 0
			for _, each := range all {
				want, ok := chosen[each.ID]
				if !ok {
					continue
				}
				found++
				file := filepath.Join(t.TempDir(), l.file)
				if err := os.WriteFile(file, []byte(each.Code), 0o600); err != nil {
					t.Fatal(err)
				}
				out := runSample(s, path, append(l.args, file)...)
				// A refusal is written as any other answer is: its status, and what the service says.
				m := regexp.MustCompile(`^(\d{3})\b.*"status": ?"`).FindStringSubmatch(out)
				if m == nil || m[1] != strconv.Itoa(want) {
					t.Errorf("%s: got %s, want %d\n%s", each.ID, out, want, each.Code)
				}
			}
			if found != len(chosen) {
				t.Errorf("got %d of the %d chosen samples", found, len(chosen))
			}
		})
	}
}

// runSample runs a program with the key in the environment, and returns what it writes.
func runSample(s *service, program string, args ...string) string {
	command := exec.CommandContext(context.Background(), program, args...)
	command.Env = append(os.Environ(), "ATELIER_API_KEY="+s.Key, "GOFLAGS=")
	out, _ := command.CombinedOutput() // what it writes says how it ended
	return string(out)
}

// runCurl runs a sample in a shell. A configuration file of curl adds the status to what
// it writes, so that the sample stays as it is.
func runCurl(t *testing.T, s *service, dir string, each codeSample) {
	t.Helper()
	longest := 60
	if strings.HasPrefix(each.Code, "curl -N") {
		longest = 2 // a stream need not end
	}
	config := fmt.Sprintf("silent\nshow-error\nmax-time = %d\nwrite-out = \"\\n%%{http_code}\"\n", longest)
	if err := os.WriteFile(filepath.Join(dir, ".curlrc"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(context.Background(), "sh", "-c", each.Code)
	command.Dir = dir
	command.Env = append(os.Environ(), "ATELIER_API_KEY="+s.Key, "CURL_HOME="+dir)
	out, err := command.CombinedOutput()
	at := bytes.LastIndexByte(out, '\n')
	status, _ := strconv.Atoi(string(out[at+1:]))
	answer := struct{ ErrorCode int }{}
	_ = json.Unmarshal(out[:max(at, 0)], &answer)                                            // not every answer is JSON
	malformed := status == 400 || status == 415 || status == 405 || answer.ErrorCode == 2001 // there is no such endpoint
	noChain := each.Path == "/v2/wallet/balance" && status == 503                            // none is configured here
	if status < 200 || malformed || status >= 500 && !noChain || err != nil && longest > 2 {
		t.Errorf("got status %d, %v: %.600s\n%s", status, err, out, each.Code)
	}
}

// checkPython compiles all samples.
func checkPython(t *testing.T, all []codeSample) {
	checkWith(t, all, "python3", "-c", `import json, sys
for s in json.load(sys.stdin):
    try:
        compile(s["Code"], s["ID"], "exec")
    except SyntaxError as e:
        sys.exit(s["ID"] + ": " + str(e))`)
}

// checkJavaScript compiles all samples, as the body of a function that may await.
func checkJavaScript(t *testing.T, all []codeSample) {
	checkWith(t, all, "node", "-e", `for (const s of JSON.parse(require("fs").readFileSync(0))) new (require("vm").Script)("(async () => {\n" + s.Code + "\n})", { filename: s.ID })`)
}

func checkWith(t *testing.T, all []codeSample, program string, args ...string) {
	t.Helper()
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(context.Background(), program, args...)
	command.Stdin = bytes.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkGo parses all samples, which are as gofmt writes them.
func checkGo(t *testing.T, all []codeSample) {
	for _, each := range all {
		formatted, err := format.Source([]byte(each.Code))
		if err != nil || strings.TrimSpace(string(formatted)) != each.Code {
			t.Errorf("%s: %v\n%s", each.ID, err, each.Code)
		}
	}
}
