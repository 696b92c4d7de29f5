package test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// dropPicture drops a small picture somewhere on the page, as from the desktop.
func (p *page) dropPicture(name string) {
	p.t.Helper()
	evaluate[bool](p, dropScript(p.t, name)+"; true")
}

// dropPictureAtOnce drops a small picture on the form of an address as soon as it is drawn.
func (p *page) dropPictureAtOnce(address, name string) {
	p.t.Helper()
	p.prepare(fmt.Sprintf(`new MutationObserver((_, observer) => {
		if (location.pathname + location.search !== %s || !document.querySelector("main form")) return;
		observer.disconnect();
		%s;
	}).observe(document, {childList: true, subtree: true})`, quote(address), dropScript(p.t, name)))
	p.open(address)
}

func dropScript(t testing.TB, name string) string {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	return dropFileScript(picture.Bytes(), name, "image/png")
}

// dropFileScript drops a file on the form or the list of the page.
func dropFileScript(content []byte, name, contentType string) string {
	return fmt.Sprintf(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([Uint8Array.from(atob(%s), (c) => c.charCodeAt(0))], %s, {type: %s}));
		const target = document.querySelector("main section, main form") ?? document.querySelector("main");
		for (const type of ["dragover", "drop"]) target.dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true}));
	})()`, quote(base64.StdEncoding.EncodeToString(content)), quote(name), quote(contentType))
}

// A request from the form to the result: references, the price, the wait for a worker,
// cancelling, the picture, and what can be done with it.
func TestCreate(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.see("textbox", "Prompt")
	p.checkAccess("an empty form")

	// No worker has this model: the wait names it, survives a reload, and can be cancelled.
	p.open("/?tool=generate_image&model=gpt-image-2")
	p.fill("Prompt", "a red fox")
	p.seeText("No worker now")
	p.seeText("left after")
	p.press(kb.Enter, chromedp.ModifierCtrl)
	p.seeText("No connected worker offers GPT Image 2")
	p.checkAccess("waiting for a worker")
	p.open(evaluate[string](p, "location.pathname + location.search"))
	p.seeText("No connected worker offers GPT Image 2")
	p.click("button", "Cancel")
	p.seeText("Cancelled")

	// A dropped picture takes the place that the tool has for one.
	p.dropPictureAtOnce("/?tool=generate_image&model=z-turbo", "square.png")
	p.click("button", "Remove square.png")
	p.see("button", "Add source image")

	p.fill("Prompt", "a red fox that juggles quarks")
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.see("button", "Open large: a red fox that juggles quarks")
	p.seeText("The renderer did not understand: juggles, quarks")
	p.checkAccess("a result")
	p.wait("a menu within the window", `((menu) => {
		menu.open = true;
		const {left, right} = menu.querySelector(".menu-items").getBoundingClientRect();
		menu.open = false;
		return left >= 0 && right <= innerWidth;
	})([...document.querySelectorAll(".result-actions .menu")].at(-1))`)
	address := evaluate[string](p, "location.search")
	p.click("button", "Again")
	p.click("button", "Same seed")
	p.wait("another workflow", fmt.Sprintf("location.search !== %s && !location.search.includes('artifact')", quote(address)))
	p.see("button", "Open large: a red fox that juggles quarks")

	// The form comes back from a result, and the request is shown as code.
	p.click("button", "Start over")
	p.wait("an empty prompt", `document.querySelector("textarea").value === ""`)
	p.click("button", "Undo") // and it was not lost
	p.wait("the prompt before", `document.querySelector("textarea").value === "a red fox that juggles quarks"`)
	p.click("button", "Start over")
	p.wait("an empty prompt again", `document.querySelector("textarea").value === ""`)
	p.clickMenu("More", "Restore the form")
	p.wait("the prompt", `document.querySelector("textarea").value === "a red fox that juggles quarks"`)
	p.clickMenu("More", "As code")
	p.see("dialog", "The request as code")
	p.seeText(`"toolName": "generate_image"`)
	p.checkAccess("the request as code")
	p.click("button", "Close")
	p.click("button", "Use as reference")
	p.see("button", "Remove image")

	// A refusal stands at its field.
	p.allow("400")
	evaluate[bool](p, `(document.querySelector(".create-settings").open = true)`)
	p.fill("Width", "100")
	p.seeText("This must be between 256 and 2048.")

	// So does what a list has too few of.
	evaluate[bool](p, `((load) => {
		window.fetch = async (address, options) => {
			const answer = await load(address, options);
			if (address !== "/v1/tools") return answer;
			return new Response((await answer.text()).replaceAll('"minItems":1', '"minItems":2'));
		};
		return true;
	})(fetch)`)
	p.click("link", "Library")
	p.see("heading", "Library")
	evaluate[bool](p, `(() => { const link = document.createElement("a"); link.href = "/?tool=animate_photo"; document.body.append(link); link.click(); link.remove(); return true })()`)
	p.click("button", "More settings")
	p.click("button", "Add to prompts")
	p.fill("Prompts 1", "it waves")
	p.seeText("This needs at least 2 entries.")
	p.click("button", "Add to prompts")
	p.fill("Prompts 2", "it turns")
	p.wait("no error", `!document.body.innerText.includes("This needs at least")`)

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.see("textbox", "Prompt")
	small.open("/?tool=edit_image&model=qwen-image-edit-2511-lightning") // a long name has a separate line
	small.wait("the whole name of the model", `((e) => e.selectedOptions[0].label.length > 25 && e.getBoundingClientRect().top >= e.labels[0].getBoundingClientRect().bottom)(`+find("combobox", "Model")+`)`)
	small.wait("no part beyond the window", `document.documentElement.scrollWidth <= innerWidth`)
	small.click("button", "Video")
	small.see("button", "Add reference video")
	small.checkAccess("the form on a phone")
	small.click("button", "3D")
	small.click("button", "Add left view") // what a place is for is said there
	small.seeText("Views from other sides make the model truer.")
	small.wait("no numbers of media", `!document.body.innerText.includes("By number")`)
	small.click("button", "Close")
	small.wait("a short help", `!document.body.innerText.includes("Views from other sides")`)
}

// clickMenu chooses what a button of a result has behind it.
func (p *page) clickMenu(button, item string) {
	p.t.Helper()
	p.wait("the menu "+button, fmt.Sprintf(`(() => {
		const menu = [...document.querySelectorAll(".result-actions .menu")].find((m) => m.querySelector("summary").innerText.trim() === %s);
		return menu ? (menu.open = true) : false;
	})()`, quote(button)))
	p.click("button", item)
}

// A sound is shown with its title and its loudness, and its length stands beside what it costs.
func TestMakeSound(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/?tool=generate_music&model=music3")
	p.fill("Prompt", "a slow waltz")
	p.wait("the length on the first screen", find("textbox", "Duration")+`.getBoundingClientRect().bottom < innerHeight - 140`)
	p.fill("Duration", "10")
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.wait("the title and the loudness", `document.querySelector(".create-result .sound figcaption")?.innerText === "a slow waltz" && document.querySelector(".create-result .sound-wave svg") !== null`)
	p.wait("its tile", `document.querySelector(".strip .thumb-wave") !== null`)
	p.checkAccess("a sound")

	// Earlier prompts of sounds are not offered for pictures, and the length of a clip is not that of a song.
	p.click("button", "Video")
	p.fill("Duration", "2")
	p.click("button", "Audio")
	p.wait("the length of the song", find("textbox", "Duration")+`.value !== "2"`)
	p.click("button", "Image")
	p.click("button", "Earlier prompts")
	p.seeText("No prompt has these words.")
}

// An edited picture is compared with what it was before, and both sides are named.
func TestCompareWithSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.dropPictureAtOnce("/?tool=edit_image", "square.png")
	p.see("button", "Remove square.png")
	p.fill("Prompt", "make it blue")
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.see("button", "Open large: make it blue")
	p.click("button", "Compare")
	p.seeText("Before")
	p.seeText("After")
	p.wait("both pictures", `[...document.querySelectorAll(".compare img")].filter((e) => e.naturalWidth > 0).length === 2`)
	p.checkAccess("a picture and its source")
}

// While a picture renders, what its worker shows of it is seen.
func TestPreview(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	c := client.New(s.URL, s.Key)
	worker, err := c.Connect(t.Context(), apitype.WorkerSpec{Name: "painter", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.fill("Prompt", "a red fox")
	p.click("button", "Make")
	job := claim(t, worker)
	report := func(progress float64, shade uint8) {
		t.Helper()
		if err := c.UploadPreview(t.Context(), job.ProjectID, job.Artifacts[0].ID, "image/png", bytes.NewReader(square(t, 32, shade))); err != nil {
			t.Fatal(err)
		}
		if _, err := worker.Progress(t.Context(), job.JobID, apitype.JobProgress{Progress: progress, Message: "step 12/30"}); err != nil {
			t.Fatal(err)
		}
	}
	report(0.4, 200)
	p.see("img", "Preview of the result")
	p.seeText("step 12/30")
	first := evaluate[string](p, previewSource)
	p.checkAccess("a preview")
	report(0.8, 80)
	p.wait("the next preview", fmt.Sprintf(`%s !== %s`, previewSource, quote(first)))
	p.open(evaluate[string](p, "location.pathname + location.search")) // and after a reload
	p.see("img", "Preview of the result")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.see("textbox", "Prompt")
	small.see("button", "a red fox in progress")
	if address := evaluate[string](small, "location.search"); strings.Contains(address, "workflow") {
		t.Errorf("another browser shows what it has not started: %s", address)
	}
	small.open(evaluate[string](p, "location.pathname + location.search"))
	small.seeText("step 12/30") // what is being made has one line, below which the form begins
	small.wait("the prompt on the first screen", find("textbox", "Prompt")+".getBoundingClientRect().bottom < innerHeight - 60")
	small.checkAccess("what is being made on a phone")
	small.click("button", "Show")
	small.see("img", "Preview of the result")
	small.checkAccess("a preview on a phone")
	// On its page it is called as its tool, and its share is said once.
	page := openPage(t, s.URL, desktop)
	page.signIn(s.Key)
	page.open("/workflows/" + evaluate[string](p, `new URLSearchParams(location.search).get("workflow")`))
	page.see("heading", "Generate image")
	page.wait("its name in the graph, the timeline and the log", `[".node-name", ".timeline-row .cut", ".log-step"].every((place) => document.querySelector(place)?.innerText === "Generate image")`)
	page.wait("the bar for eyes alone", `document.querySelector(".graph-node progress").closest("[aria-hidden=true]") !== null && document.querySelector(".graph-node").innerText.includes("80\u00a0%")`)
	page.checkAccess("a workflow of Create")
	p.see("button", "Cancel")
	report(1, 40)
	p.seeText("Rendered. The result is being stored.")
	p.gone("button", "Cancel") // there is nothing left to stop
	if _, err := worker.Complete(t.Context(), job.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: job.Artifacts[0].ID, ContentType: "image/png", Width: 1024, Height: 1024, Data: square(t, 1024, 0)}}}); err != nil {
		t.Fatal(err)
	}
	p.see("button", "Open large: a red fox")
	p.gone("img", "Preview of the result")
}

// countReads keeps the requests for workflows in reads: "GET /v1/creative-agent/workflows/ID".
const countReads = `(() => {
	window.reads = [];
	const load = window.fetch;
	window.fetch = (address, options) => {
		const path = new URL(address, location).pathname;
		if (/^.v1.creative-agent.workflows.(?!summaries|counts|templates|estimate)/.test(path)) reads.push((options?.method ?? "GET") + " " + path);
		return load(address, options);
	};
})()`

// Of a workflow that was started here, the answer is shown; it is followed by one stream and read
// once, when it is over.
func TestOnePictureIsReadOnce(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	c := client.New(s.URL, s.Key)
	worker, err := c.Connect(t.Context(), apitype.WorkerSpec{Name: "painter", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.prepare(countReads)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.fill("Prompt", "a red fox")
	p.click("button", "Make")
	job := claim(t, worker)
	for _, progress := range []float64{0.2, 0.4, 0.6} {
		if _, err := worker.Progress(t.Context(), job.JobID, apitype.JobProgress{Progress: progress, Message: fmt.Sprintf("at %v", progress)}); err != nil {
			t.Fatal(err)
		}
		p.seeText(fmt.Sprintf("at %v", progress))
	}
	if got := evaluate[[]string](p, `reads.filter((r) => !r.endsWith("/events/stream"))`); len(got) != 0 {
		t.Errorf("while it renders: got %q, want nothing read", got)
	}
	if _, err := worker.Complete(t.Context(), job.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: job.Artifacts[0].ID, ContentType: "image/png", Width: 1024, Height: 1024, Data: square(t, 1024, 0)}}}); err != nil {
		t.Fatal(err)
	}
	p.see("button", "Open large: a red fox")
	p.wait("what it cost", `document.querySelector(".result-facts").innerText.includes("Covered by your plan")`)
	evaluate[bool](p, `new Promise((done) => setTimeout(() => done(true), 2000))`) // nothing follows
	got := evaluate[[]string](p, `reads.map((r) => r.replace(/workflows.[^/]+/, "workflows/ID"))`)
	want := []string{"GET /v1/creative-agent/workflows/ID/events/stream", "GET /v1/creative-agent/workflows/ID"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

const previewSource = `document.querySelector(".result-preview")?.src`

// square is a picture in one shade of grey.
func square(t *testing.T, size int, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, size, size))
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray{shade}), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The first thing that a person sees on a phone is the prompt, also after a reload.
func TestCreateOpensAtItsPrompt(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	for range 2 {
		p.open("/")
		p.see("textbox", "Prompt")
		p.see("button", "Make")
		p.wait("the page at its top", "scrollY === 0")
		p.wait("the prompt in view", inView(find("textbox", "Prompt")))
	}
}

// A picture that is dropped says how it was made: it is made again, or is a reference. A model that
// the service does not have is named.
func TestMakeAgainFromAFile(t *testing.T) {
	t.Parallel()
	s := startService(t)
	file := filepath.Join(t.TempDir(), "fox.png")
	command := exec.Command(s.program, "generate", "image", "a red fox in the snow", "--width", "320", "--height", "256", "--seed", "7", "--url", s.URL, "--api-key", s.Key, "-o", file)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/?tool=generate_video")
	p.see("textbox", "Prompt")
	evaluate[bool](p, dropFileScript(made, "fox.png", "image/png")+"; true")
	p.see("dialog", "This picture says how it was made")
	p.seeText("320 × 256")
	p.seeText("Preview renderer in place of Z-Image Turbo")
	p.checkAccess("a picture that says how it was made")
	p.click("button", "Make it again")
	p.seeText("The form is as it was for this file.")
	p.wait("the prompt", `document.querySelector("main textarea").value === "a red fox in the snow"`)
	p.wait("the tool", `new URLSearchParams(location.search).get("tool") === "generate_image"`)
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.see("button", "Open large: a red fox in the snow")
	again := s.call("GET", "/v1/creative-agent/workflows?limit=1", nil)["workflows"].([]any)[0].(map[string]any)["steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)
	if again["seed"] != 7.0 || again["width"] != 320.0 || again["height"] != 256.0 {
		t.Errorf("it was made again with %v", again)
	}

	// As a reference it takes the place that the tool has for one.
	evaluate[bool](p, dropFileScript(made, "fox.png", "image/png")+"; true")
	p.click("button", "Use as input picture")
	p.see("button", "Remove fox.png")

	// Another program's picture, with a model of its name.
	evaluate[bool](p, dropFileScript(withText(made, "parameters", "a heron\nSteps: 9, Seed: 5, Size: 512x512, Model: dreamshaper"), "heron.png", "image/png")+"; true")
	p.seeText("The service does not have the model dreamshaper.")
	p.checkAccess("a picture of a model that is not there")
	p.click("button", "Make it again")
	p.wait("the prompt", `document.querySelector("main textarea").value === "a heron"`)

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.see("button", "From a file")
	evaluate[bool](small, dropFileScript(made, "fox.png", "image/png")+"; true")
	small.see("dialog", "This picture says how it was made")
	small.checkAccess("a picture that says how it was made, on a phone")
}

// A clip and a recording that are dropped say how they were made, too, and can be played there.
func TestMakeClipsAgainFromAFile(t *testing.T) {
	t.Parallel()
	s := startService(t)
	boat := s.generate("boat.mp4", "video", "a boat on the sea", "--duration", "2", "--width", "256", "--height", "256")
	voice := s.generate("voice.wav", "speech", "Good morning, fox.")
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.see("textbox", "Prompt")
		evaluate[bool](p, dropFileScript(boat, "boat.mp4", "video/mp4")+"; true")
		p.see("dialog", "This video says how it was made")
		p.seeText("a boat on the sea")
		p.wait("the clip", `document.querySelector("dialog video")?.readyState >= 1 && document.querySelector("dialog video").videoWidth === 256`)
		p.checkAccess(fmt.Sprint("a clip that says how it was made ", l.width))
		p.click("button", "Make it again")
		p.wait("the prompt", `document.querySelector("main textarea").value === "a boat on the sea"`)
		p.wait("the tool", `new URLSearchParams(location.search).get("tool") === "generate_video"`)

		evaluate[bool](p, dropFileScript(voice, "voice.wav", "audio/wav")+"; true")
		p.see("dialog", "This recording says how it was made")
		p.wait("the recording", `document.querySelector("dialog audio")?.duration > 0`)
		p.checkAccess(fmt.Sprint("a recording that says how it was made ", l.width))
		p.click("button", "Make it again")
		p.wait("the tool", `new URLSearchParams(location.search).get("tool") === "generate_speech"`)
		p.wait("the words", `[...document.querySelectorAll("main textarea")].some((e) => e.value === "Good morning, fox.")`)
	}
}

// withText is a PNG with one text, and without those that it had.
func withText(file []byte, key, text string) []byte {
	out := bytes.Clone(file[:8])
	for at := 8; at+12 <= len(file); {
		size := int(binary.BigEndian.Uint32(file[at:])) + 12
		if kind := string(file[at+4 : at+8]); kind != "iTXt" {
			out = append(out, file[at:at+size]...)
		}
		if at == 8 {
			data := []byte("tEXt" + key + "\x00" + text)
			out = append(binary.BigEndian.AppendUint32(out, uint32(len(data)-4)), data...)
			out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
		}
		at += size
	}
	return out
}
