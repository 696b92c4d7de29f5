package test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// addTag writes a tag into the field for them.
func (p *page) addTag(tag string) {
	p.t.Helper()
	p.fill("Tags", tag)
	p.press(kb.Enter)
	p.see("button", "Remove the tag "+tag)
}

// focusCell puts the focus on an item of the library.
func (p *page) focusCell(n int) {
	p.t.Helper()
	p.wait("the focus on an item", fmt.Sprintf(`(() => { const e = document.querySelectorAll("[role=gridcell]:has(img)")[%d]; e?.focus(); return document.activeElement === e })()`, n))
}

// Changes that follow each other quickly reach the service one after another, so that the last one counts, and a list
// is read when the service has them.
func TestMarksInOrder(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a green bird"))
	p := openPage(t, s.URL, desktop)
	p.prepare(`(() => {
		const real = fetch;
		const held = new Promise((release) => { window.release = release });
		window.marks = [];
		window.fetch = async (input, init) => {
			const path = new URL(typeof input === "string" ? input : input.url ?? input, location.href).pathname;
			if (path === "/v1/library/marks" && marks.push(JSON.parse(init.body).favourite) === 1) await held;
			return real(input, init);
		};
	})()`)
	p.signIn(s.Key)
	p.click("link", "Library")
	p.seeItems(1)
	p.focusCell(0)
	const star = `document.querySelector(".cell-star").ariaPressed`
	for _, isStarred := range []bool{true, false, true} {
		p.press("f")
		p.wait("the star at once", fmt.Sprintf(`%s === "%t"`, star, isStarred))
	}
	p.click("link", "Favourites")
	p.wait("the list of favourites", `location.search === "?favourite=true"`)
	if got := evaluate[[]bool](p, "marks"); !slices.Equal(got, []bool{true}) {
		t.Errorf("before the first answer the service was sent %v", got)
	}
	evaluate[bool](p, "(release(), true)")
	p.seeItems(1)
	p.wait("the star still", star+` === "true"`)
	if got := evaluate[[]bool](p, "marks"); !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("the service was sent %v", got)
	}
}

// A mark shows in the other tabs of the browser, as do the counts of boards.
func TestLibraryMarksInTwoTabs(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a green bird"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library")
	p.seeItems(1)
	other := p.openTab()
	other.open("/library")
	other.seeItems(1)
	// A tab that is behind another one draws nothing, so no mouse reaches it.
	star := find("button", "Favourite: a green bird")
	press := fmt.Sprintf("(%s.click(), true)", star)
	evaluate[bool](other, press)
	p.wait("the favourite of the other tab", star+`.ariaPressed === "true"`)
	p.wait("its count", `document.querySelector(".boards-list").innerText.includes("Favourites\n1")`)
	evaluate[bool](other, press)
	p.wait("no favourite", star+`.ariaPressed === "false"`)
}

// What a result without words is called, and how its buttons stand when it is shown large on a small screen.
func TestLibraryWithoutPrompt(t *testing.T) {
	t.Parallel()
	s := startService(t)
	order := picture("a green bird")
	input := order["input"].(map[string]any)
	input["steps"] = append(input["steps"].([]any), map[string]any{
		"id": "large", "toolName": "upscale_image", "arguments": map[string]any{"scale": 2},
		"dependsOn": []any{map[string]any{"sourceStepId": "draw", "sourceArtifactIndex": 0, "targetArgument": "sourceImageIndex", "transform": "image_index", "required": true}},
	})
	s.call("POST", "/v1/creative-agent/workflows", order)
	p := openPage(t, s.URL, look{width: 1000, height: 700})
	p.signIn(s.Key)
	p.open("/library")
	p.seeItems(2)
	p.see("button", "Favourite: Upscale image")
	p.click("gridcell", "Image: Upscale image")
	p.see("dialog", "Upscale image")
	p.wait("its buttons on one line", `(() => {
		const tops = [...document.querySelectorAll(".lightbox footer :is(button, a, summary)")].filter((e) => e.checkVisibility()).map((e) => { const r = e.getBoundingClientRect(); return r.top + r.height / 2 });
		return tops.length > 6 && Math.max(...tops) - Math.min(...tops) < 8;
	})()`)
	p.click("button", "Details")
	p.wait("what was chosen", `[...document.querySelectorAll(".lightbox-details .facts > div")].some((e) => e.innerText.replace(/\s+/g, " ") === "Scale 2")`)
	p.wait("what it was made from", find("link", "Source image")+`.querySelector("img").naturalWidth > 0`)
	p.checkAccess("large, on a small screen")
}

// Favourites, boards and tags: they are made, changed with the mouse and the keyboard, filtered by, kept in the
// address, and shown on a phone.
func TestLibraryMarks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	s.call("POST", "/v1/creative-agent/workflows", picture("a green bird"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library")
	p.seeItems(4)
	p.see("link", "Favourites")
	p.checkAccess("a library without boards")

	// The star, with the mouse and with a key.
	p.click("button", "Favourite: a green bird")
	p.wait("a favourite", find("button", "Favourite: a green bird")+`.ariaPressed === "true"`)
	p.wait("the count", `document.querySelector(".boards-list").innerText.includes("Favourites\n1")`)
	p.press("f") // the focus is on the item whose star was pressed
	p.wait("no favourite", `document.querySelectorAll(".cell-star[aria-pressed=true]").length === 0`)
	p.press("f")
	p.wait("the favourite again", find("button", "Favourite: a green bird")+`.ariaPressed === "true"`)
	p.focusCell(0)
	p.press("f")
	p.wait("one or two favourites", `[0, 2].includes(document.querySelectorAll(".cell-star[aria-pressed=true]").length)`)
	p.press("f")
	p.wait("one favourite", `document.querySelectorAll(".cell-star[aria-pressed=true]").length === 1`)
	p.click("link", "Favourites 1")
	p.wait("the favourite", `location.search === "?favourite=true" && document.querySelectorAll("[role=gridcell] img").length === 1`)
	p.focusCell(0)
	p.press("f")
	p.seeText("You have no favourites yet.")
	p.checkAccess("no favourites")
	p.click("link", "Everything")
	p.seeItems(4)

	// A board; its name is refused a second time.
	p.click("button", "New board")
	p.fill("Name of the board", "Castles")
	p.checkAccess("a new board")
	p.click("button", "Create")
	p.see("link", "Castles")
	p.allow("409")
	p.click("button", "New board")
	p.fill("Name of the board", "castles")
	p.click("button", "Create")
	p.seeText("You have a board with the name")
	p.press(kb.Escape)
	p.click("link", "Castles")
	p.seeText("Nothing is on this board yet.")
	p.checkAccess("an empty board")
	p.click("link", "Everything")
	p.seeItems(4)

	// Several are put on it, tagged and starred at once.
	p.click("gridcell", "Image: a green bird")
	p.see("dialog", "a green bird")
	p.press(kb.Escape)
	p.gone("dialog", "a green bird")
	evaluate[bool](p, find("gridcell", "Image: a green bird")+`.dispatchEvent(new MouseEvent("click", {bubbles: true, ctrlKey: true}))`)
	p.seeText("1 selected")
	p.click("button", "Clear the selection")
	p.focusCell(1)
	p.press(kb.Enter)
	p.press(kb.ArrowRight, chromedp.ModifierShift)
	p.seeText("2 selected")
	p.checkAccess("two selected")
	p.click("button", "Add to board")
	p.see("dialog", "Boards of 2 items")
	p.click("checkbox", "Castles")
	p.checkAccess("the boards of two")
	p.click("button", "Done")
	p.wait("the count of the board", `document.querySelector(".boards-list").innerText.includes("Castles\n2")`)
	p.click("button", "Tag")
	p.addTag("hill fort")
	p.checkAccess("the tags of two")
	p.click("button", "Done")
	p.see("link", "hill fort")
	p.click("button", "Favourite")
	p.see("button", "Not a favourite")
	p.press(kb.Escape)
	p.click("button", "Clear the selection")

	// Dragging puts another one on the board.
	p.wait("an item that is not on the board", `(() => {
		const cell = document.querySelectorAll("[role=gridcell]:has(img)")[0];
		const board = [...document.querySelectorAll(".boards-list li")].find((e) => e.innerText.startsWith("Castles"));
		const dataTransfer = new DataTransfer();
		cell.dispatchEvent(new DragEvent("dragstart", {dataTransfer, bubbles: true}));
		for (const type of ["dragover", "drop"]) board.dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true}));
		return true;
	})()`)
	p.seeText("Added to Castles.")
	p.wait("three on the board", `document.querySelector(".boards-list").innerText.includes("Castles\n3")`)

	// Filters combine, live in the address, and what leaves the board leaves its list.
	p.click("link", "Castles 3")
	p.seeItems(3)
	p.checkAccess("a board")
	p.click("link", "hill fort")
	p.seeItems(2)
	p.wait("the address", `new URLSearchParams(location.search).get("tag") === "hill fort" && location.search.includes("board=")`)
	address := evaluate[string](p, "location.pathname + location.search")
	p.open(address)
	p.seeItems(2)
	p.checkAccess("a board and a tag")
	p.focusCell(0)
	p.press(kb.Enter)
	p.click("button", "Take off this board")
	p.seeItems(1)
	p.click("button", "Tag hill fort: show all")
	p.seeItems(2)
	p.open("/library?q=fort")
	p.seeItems(2)

	// Large: everything that is known, and its marks.
	p.focusCell(0)
	p.press(" ")
	p.wait("the facts", `(() => {
		const text = document.querySelector(".lightbox-details").innerText;
		return ["a castle on a hill", "Preview renderer", "in place of Z-Image Turbo", "Generate image", "Seed", "Made", "Cost"].every((part) => text.includes(part)) && /\d+ × \d+/.test(text);
	})()`)
	p.checkAccess("details")
	p.addTag("stone")
	p.press(kb.ArrowLeft) // it moves in the field, not to another item
	p.seeText("1 / 2")
	p.click("button", "Remove the tag hill fort")
	p.gone("button", "Remove the tag hill fort")
	p.click("checkbox", "Castles")
	p.see("button", "Use these settings")
	p.click("button", "stone")
	p.wait("what is tagged", `location.search === "?tag=stone"`)
	p.seeItems(1)

	// A selection ends with its list.
	p.focusCell(0)
	p.press(kb.Enter)
	p.seeText("1 selected")
	p.click("link", "Favourites")
	p.wait("no selection", `!document.body.innerText.includes("1 selected")`)

	// A board is renamed and deleted; what was on it stays.
	p.click("link", "Everything")
	p.wait("a board to open", `[...document.querySelectorAll(".boards-list a")].some((e) => e.innerText.startsWith("Castles") && (e.click(), true))`)
	p.click("button", "Rename Castles")
	p.fill("Name of the board", "Towers")
	p.click("button", "Save")
	p.click("button", "Delete Towers")
	p.see("dialog", "Delete the board Towers?")
	p.click("button", "Delete")
	p.wait("no board", `!document.querySelector(".boards-list").innerText.includes("Towers") && !location.search.includes("board")`)

	// An address of a board that is gone leads to the whole library.
	p.allow("404")
	p.open("/library?board=00000000-0000-4000-8000-000000000000")
	p.seeText("This board does not exist any more.")
	p.checkAccess("a board that is gone")

	s.call("POST", "/v1/library/boards", map[string]any{"name": "Birds"})
	for _, l := range []look{phone, night, {width: 1000, height: 700}} {
		other := openPage(t, s.URL, l)
		other.signIn(s.Key)
		other.open("/library")
		other.seeItems(4)
		other.checkAccess(fmt.Sprint("a library with marks ", l.width, l.dark))
		other.focusCell(0)
		other.press(kb.Enter)
		other.seeText("1 selected")
		other.checkAccess(fmt.Sprint("one selected ", l.width, l.dark))
		other.press(kb.Escape)
		other.focusCell(0)
		other.press(" ")
		other.see("button", "Details")
		if l.width < 1100 { // they are open where there is space
			other.click("button", "Details")
		}
		other.wait("the details", `document.querySelector(".lightbox-details dl") !== null`)
		other.checkAccess(fmt.Sprint("details ", l.width, l.dark))
	}
}

// A saved upload has marks too.
func TestUploadMarks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library?tab=uploads")
	p.seeText("Nothing is saved.")
	p.dropPicture("square.png")
	p.click("button", "Favourite: square.png")
	p.click("button", "Tags and boards of square.png")
	p.addTag("logo")
	p.fill("Name of the board", "Brand")
	p.click("button", "Create")
	p.wait("the board", `document.querySelector("dialog .board-field input[type=checkbox]")?.checked === true`)
	p.checkAccess("the marks of an upload")
	p.click("button", "Done")
	p.checkAccess("an upload with marks")
	p.click("link", "Brand 1")
	p.see("link", "Use in Create")
	p.fill("Search names and tags", "owl")
	p.seeText("Nothing matches.")
	p.fill("Search names and tags", "SQUARE logo")
	p.see("link", "Use in Create")
	p.click("button", "Made")
	p.wait("the same board", `location.search.includes("board=") && !location.search.includes("tab")`)
}

// Create puts what it makes on the chosen board, and names it.
func TestCreateOnBoard(t *testing.T) {
	t.Parallel()
	s := startService(t)
	board := s.call("POST", "/v1/library/boards", map[string]any{"name": "Foxes"})["board"].(map[string]any)["boardId"].(string)
	p := openPage(t, s.URL, desktop)
	p.prepare(openSettings)
	p.signIn(s.Key)
	p.open("/")
	p.choose("Board", board)
	p.seeText("Board: Foxes")
	p.checkAccess("a board in Create")
	p.fill("Prompt", "a red fox")
	p.click("button", "Make")
	p.wait("the answer about the board", `performance.getEntriesByType("resource").some((e) => e.name.includes("/v1/library/boards/") && e.responseEnd > 0)`)
	p.open("/library?board=" + board)
	p.seeItems(1)
	p.open("/")
	p.seeText("Board: Foxes")
	p.click("button", "Put results on no board")
	p.wait("no board", `!document.body.innerText.includes("Board: Foxes")`)
}
