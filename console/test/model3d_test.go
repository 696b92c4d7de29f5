package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

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
