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
		const target = document.querySelector("main section, main form");
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
	address := evaluate[string](p, "location.search")
	p.click("button", "Again")
	p.click("button", "Same seed")
	p.wait("another workflow", fmt.Sprintf("location.search !== %s && !location.search.includes('artifact')", quote(address)))
	p.see("button", "Open large: a red fox that juggles quarks")

	// The form comes back from a result, and the request is shown as code.
	p.click("button", "Start over")
	p.wait("an empty prompt", `document.querySelector("textarea").value === ""`)
	p.click("button", "Restore the form")
	p.wait("the prompt", `document.querySelector("textarea").value === "a red fox that juggles quarks"`)
	p.click("button", "As code")
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
			if (address !== "/v1/tool-catalog") return answer;
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
	small.click("button", "Video")
	small.see("button", "Add reference video")
	small.checkAccess("the form on a phone")
}

// While a picture renders, what its worker shows of it is seen.
func TestPreview(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false", "ATELIER_WORKERS_LEASE=10m")
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
	small.see("img", "Preview of the result") // what is being made is shown
	small.checkAccess("a preview on a phone")
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
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false", "ATELIER_WORKERS_LEASE=10m")
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

// A 3D model is drawn and turned with the keys and the mouse, in the library and in Create;
// without WebGL it can be downloaded.
func TestModel3D(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"steps": []any{
		map[string]any{"id": "draw", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a red apple, studio", "width": 256, "height": 256}},
		map[string]any{"id": "mesh", "toolName": "image_to_3d", "arguments": map[string]any{"meshTargetFaces": 5000, "textureSize": 1024, "normalMapSize": 512, "ambientOcclusionSize": 256},
			"dependsOn": []any{map[string]any{"sourceStepId": "draw", "sourceArtifactIndex": 0, "targetArgument": "sourceImageIndex", "transform": "image_index", "required": true}}},
	}}})
	for _, l := range []look{desktop, night, phone} {
		p := openPage(t, s.URL, l)
		p.allow("GPU stall due to ReadPixels") // by the test
		p.signIn(s.Key)
		p.open("/library?kind=model")
		p.openCell("model")
		p.see("application", "3D model")
		p.seeText("Drag to turn")
		p.wait("a red apple", fmt.Sprintf("%s.share > 0.05 && %[1]s.red > 1.5 * %[1]s.blue", drawnModel))
		p.checkAccess("a model")
		before := evaluate[float64](p, drawnModel+".sum")
		p.wait("the focus", `(document.querySelector("canvas[role=application]").focus(), true)`)
		p.press(kb.ArrowRight)
		p.wait("a turn by a key", fmt.Sprintf("%s.sum !== %v", drawnModel, before))
		before = evaluate[float64](p, drawnModel+".sum")
		at := p.place("application", "3D model")
		p.do(chromedp.MouseEvent("mousePressed", at.X, at.Y, chromedp.Button("left")), chromedp.MouseEvent("mouseMoved", at.X+60, at.Y+20, chromedp.Button("left")), chromedp.MouseEvent("mouseReleased", at.X+60, at.Y+20, chromedp.Button("left")))
		p.wait("a turn by the mouse", fmt.Sprintf("%s.sum !== %v", drawnModel, before))
		p.click("button", "Close")
		p.gone("application", "3D model")
	}
	p := openPage(t, s.URL, desktop)
	p.allow("GPU stall due to ReadPixels")
	p.signIn(s.Key)
	p.wait("the strip", `(() => { const e = document.querySelector(".strip .kind-model"); e?.closest("button").click(); return e !== null })()`)
	p.wait("the model in Create", drawnModel+".share > 0.05")
	p.checkAccess("a model in Create")

	// A model whose link was signed again is drawn again.
	evaluate[bool](p, `((load) => {
		window.fetch = async (address, options) => {
			const answer = await load(address, options);
			if (!/^\/v1\/creative-agent\/workflows\/[^/?]+$/.test(address)) return answer;
			return new Response((await answer.text()).replace(/"url":"[^"]*/g, "$&#again"), answer);
		};
		new BroadcastChannel("atelier." + sessionStorage.getItem("atelier.account")).postMessage({kind: "ready"});
		return true;
	})(fetch)`)
	p.wait("the model of the next link", `document.querySelector("a[href$='#again']") !== null && `+drawnModel+".share > 0.05")

	// Two hundred nodes that share a mesh take the memory of one.
	evaluate[bool](p, sharedMesh)
	p.click("link", "Library")
	p.openCell("model")
	p.seeText("Drag to turn")
	p.wait("a triangle", drawnModel+".share > 0.05")
	if got := evaluate[float64](p, "storedBytes"); got > 1<<20 {
		t.Errorf("%.0f bytes are stored for a mesh of 400 kB", got)
	}
	p.click("button", "Close")
	evaluate[bool](p, `(HTMLCanvasElement.prototype.getContext = () => null, true)`)
	p.click("link", "Library")
	p.openCell("model")
	p.seeText("This browser cannot show the model.")
	p.see("link", "Download")
	p.checkAccess("without WebGL")
}

// readAgain makes the page read its data again, as after a broken connection.
const readAgain = `(new BroadcastChannel("atelier." + sessionStorage.getItem("atelier.account")).postMessage({kind: "ready"}), true)`

// sharedMesh answers every request for a file with a model of many nodes and one mesh, and counts
// the bytes that are stored for drawing.
const sharedMesh = `(() => {
	const positions = new Float32Array(100_000 - 1);
	positions.set([0, 0, 0, 1, 0, 0, 0, 1, 0]);
	const text = JSON.stringify({
		asset: {version: "2.0"}, scenes: [{nodes: [...Array(200).keys()]}], nodes: Array(200).fill({mesh: 0}), meshes: [{primitives: [{attributes: {POSITION: 0}}]}],
		accessors: [{bufferView: 0, componentType: 5126, count: positions.length / 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0]}],
		bufferViews: [{buffer: 0, byteLength: positions.byteLength}], buffers: [{byteLength: positions.byteLength}],
	});
	const json = new TextEncoder().encode(text + " ".repeat(3 - (text.length + 3) % 4));
	const size = 28 + json.length + positions.byteLength;
	const file = new Blob([new Uint32Array([0x46546c67, 2, size, json.length, 0x4e4f534a]), json, new Uint32Array([positions.byteLength, 0x004e4942]), positions]);
	const load = fetch;
	window.fetch = (address, options) => String(address).startsWith("http") ? Promise.resolve(new Response(file)) : load(address, options);
	window.storedBytes = 0;
	const store = WebGL2RenderingContext.prototype.bufferData;
	WebGL2RenderingContext.prototype.bufferData = function (target, values, usage) {
		storedBytes += values.byteLength;
		return store.call(this, target, values, usage);
	};
	return true;
})()`

// openCell opens an item of the library by its kind, with the keyboard.
func (p *page) openCell(kind string) {
	p.t.Helper()
	p.wait("an item", fmt.Sprintf(`(() => { const e = document.querySelector("[role=gridcell]:has(.kind-%s)"); e?.focus(); return e !== null && document.activeElement === e })()`, kind))
	p.press(" ")
}

// drawnModel is the expression of what is drawn of a model: how much of the canvas it covers, and its colours.
const drawnModel = `((canvas) => {
	const small = document.createElement("canvas");
	small.width = small.height = 64;
	const context = small.getContext("2d");
	if (canvas) context.drawImage(canvas, 0, 0, 64, 64);
	const data = context.getImageData(0, 0, 64, 64).data;
	const out = {share: 0, red: 0, blue: 0, sum: 0};
	for (let i = 0; i < data.length; i += 4) {
		if (data[i + 3] < 128) continue;
		out.share += 1 / 4096;
		out.red += data[i];
		out.blue += data[i + 2];
		out.sum += i * (data[i] + data[i + 1] + data[i + 2]) % 65521;
	}
	return out;
})(document.querySelector("canvas[role=application]"))`

// Models are found, and the settings of a sample become those of the form.
func TestModels(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/models?kind=image")
		p.fill("Search models", "z-image turbo")
		p.wait("the words in the address", `location.search.includes("q=z-image")`)
		p.checkAccess("models")
		p.click("link", "Z-Image Turbo")
		p.see("heading", "Z-Image Turbo")
		p.seeText("1.6 Spark")
		p.seeText("256 to 2048, in steps of 16")
		p.seeText("Preview renderer")
		p.see("heading", "LoRAs that fit")
		p.checkAccess("a model")
		p.click("link", "Use these settings")
		p.wait("the prompt of the sample", `document.querySelector("textarea")?.value === "a red fox in a snowy forest at dawn"`)
	}
}

// A model that a vendor renders is served, before those that only the preview renderer has.
func TestVendorModel(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "atelier.yaml")
	vendor := "vendors:\n  - { name: pictures, kind: openai-images, base_url: \"http://127.0.0.1:9/v1\", api_key_env: PICTURES_KEY, models: [{ id: gpt-image-2 }] }\n"
	if err := os.WriteFile(config, []byte(vendor), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CONFIG="+config, "PICTURES_KEY=a-key")
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	cards := `[...document.querySelectorAll(".model-card")].map((card) => card.innerText)`
	p.open("/models?kind=image&served=1")
	p.wait("the model of the vendor at the beginning", cards+`[0]?.startsWith("GPT Image 2\n")`)
	if got := evaluate[[]string](p, cards); !strings.Contains(got[0], "Vendor") || strings.Contains(strings.Join(got, " "), "No worker") {
		t.Errorf("served are %q", got)
	}
	p.checkAccess("a vendor's model")
	p.click("link", "GPT Image 2")
	p.see("heading", "GPT Image 2")
	p.seeText("A vendor renders this model.")
	p.open("/models?kind=image&q=gpt-image-2")
	p.wait("the other models of the vendor", `((all) => all.length > 1 && all.every((text) => text !== ""))(`+cards+`)`)
	if got := evaluate[[]string](p, cards); strings.Count(strings.Join(got, " "), "Vendor") != 1 || !strings.Contains(strings.Join(got, " "), "No worker") {
		t.Errorf("found are %q", got)
	}
}

// The library: what was made appears by itself, is selected with the keyboard, opened,
// deleted and brought back; uploads are saved and removed; an import that cannot be is
// refused at its field.
func TestLibrary(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(holdToasts)
	p.signIn(s.Key)
	p.click("link", "Library")
	p.seeText("Nothing has been made yet.")
	p.checkAccess("an empty library")
	makeCastles(s)
	p.seeText("3 items")
	p.wait("thumbnails", `document.querySelectorAll("[role=gridcell] img").length === 3`)
	p.checkAccess("the library")

	evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
	p.press(kb.Enter)
	p.seeText("1 selected")
	p.press(kb.ArrowRight, chromedp.ModifierShift)
	p.seeText("2 selected")
	p.checkAccess("a selection")
	// A message waits while the person points at it or has the focus there, which F8 puts there.
	p.click("button", "Delete")
	p.seeText("1 item")
	p.wait("a timer", "toastTimers.size === 1")
	p.wait("the focus in the grid", `document.activeElement.role === "gridcell"`)
	p.checkAccess("a deletion")
	p.click("button", "Images") // another list does not show what was deleted
	p.wait("one image", `location.search === "?kind=image" && document.querySelectorAll("[role=gridcell] img").length === 1`)
	p.seeText("1 item")
	p.click("button", "All")
	p.wait("one item", `location.search === "" && document.querySelectorAll("[role=gridcell] img").length === 1`)
	undo := p.place("button", "Undo")
	p.do(chromedp.MouseEvent("mouseMoved", undo.X, undo.Y))
	p.wait("no timer under the pointer", "toastTimers.size === 0")
	p.do(chromedp.MouseEvent("mouseMoved", 5, 5))
	p.wait("a timer again", "toastTimers.size === 1")
	evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
	p.press(kb.F8)
	p.wait("the focus on Undo", find("button", "Undo")+" === document.activeElement")
	p.wait("no timer at the focus", "toastTimers.size === 0")
	p.press(kb.Enter)
	p.seeText("3 items")
	p.wait("the focus back", `document.activeElement.role === "gridcell"`)
	p.press(" ")
	p.see("dialog", "a castle on a hill")
	p.seeText("1 / 3")
	p.press(kb.ArrowRight)
	p.seeText("2 / 3")
	p.checkAccess("an item, large")

	// The deletion is done when it can no longer be undone, such as when the page is left.
	other := openPage(t, s.URL, phone)
	other.signIn(s.Key)
	other.open("/library")
	other.seeText("3 items")
	other.checkAccess("the library on a phone")
	p.click("button", "Delete")
	p.seeText("2 items")
	p.open("/library?q=castle")
	p.seeText("2 items")
	other.open("/library")
	other.seeText("2 items")

	// The days may be read again before a deletion is answered: the rest of the day stays.
	p.open("/library")
	p.wait("thumbnails", `document.querySelectorAll("[role=gridcell] img").length === 2`)
	evaluate[bool](p, `((load) => {
		window.daysRead = 0;
		window.fetch = async (address, options) => {
			const answer = await load(address, options);
			if (String(address).startsWith("/v1/artifacts/days")) daysRead++;
			if (address === "/v1/artifacts/delete") await new Promise((go) => (window.goOn = go));
			return answer;
		};
		document.querySelector("[role=gridcell]").focus();
		return true;
	})(fetch)`)
	p.press(kb.Enter)
	p.click("button", "Delete")
	p.seeText("1 item")
	evaluate[bool](p, `(document.querySelector(".toasts [aria-label=Close]").click(), true)`)
	p.wait("the deletion", "!!window.goOn")
	evaluate[bool](p, readAgain)
	p.wait("the days", "daysRead > 0")
	for range 2 {
		evaluate[bool](p, `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))))`)
		p.wait("the rest of the day", `document.querySelectorAll("[role=gridcell] img").length === 1 && document.body.innerText.includes("1 item")`)
		evaluate[bool](p, "(goOn(), true)")
	}
	p.open("/library?q=whale")
	p.seeText("Nothing matches.")

	p.click("button", "Saved uploads")
	p.seeText("Nothing is saved.")
	p.dropPicture("square.png")
	p.see("link", "Use in Create")
	p.checkAccess("saved uploads")
	p.click("link", "Use in Create")
	p.see("button", "Remove square.png")
	p.open("/library?tab=uploads")
	p.click("button", "Delete square.png")
	p.see("dialog", "Delete this file?")
	p.click("button", "Delete")
	p.seeText("Nothing is saved.")

	p.allow("400")
	p.click("button", "LoRAs")
	p.seeText("You have no LoRAs of your own.")
	p.checkAccess("personal LoRAs")
	p.click("button", "Import by link")
	p.fill("Link to the file", "https://example.com/x.safetensors")
	p.fill("Name", "Inks")
	p.click("button", "Import")
	p.seeText("Confirm that you have the right to use it.")
	p.click("checkbox", "I have the right to use this file.")
	p.click("button", "Import")
	p.wait("the error at the link", `document.querySelector("dialog .field.wrong input[type=url]") !== null`)
	p.checkAccess("a refused import")
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
	p.checkAccess("a picture that says how it was made")
	p.click("button", "Make it again")
	p.seeText("The form is as it was for this picture.")
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
	small.see("button", "From a picture")
	evaluate[bool](small, dropFileScript(made, "fox.png", "image/png")+"; true")
	small.see("dialog", "This picture says how it was made")
	small.checkAccess("a picture that says how it was made, on a phone")
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
