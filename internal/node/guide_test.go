package node_test

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The worker in the guide is complete and short, and it works: it connects to a
// service, renders the steps of workflows one after the other, fails what it cannot
// do with its own message, and stops on a signal.
func TestTheWorkerOfTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/guides/write-a-worker.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("the guide has %d programs, want 1", len(blocks))
	}
	program := blocks[0][1]
	if n := bytes.Count(program, []byte("\n")); n > 54 {
		t.Errorf("the worker has %d lines, want some fifty", n)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI=true: python3 is not on the PATH")
		}
		t.Skip("left out: python3 is not on the PATH")
	}
	s := ateliertest.Start(t, storetest.SQLite(t))
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	painter := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})

	path := filepath.Join(t.TempDir(), "worker.py")
	if err := os.WriteFile(path, program, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if signal.Ignored(os.Interrupt) { // as behind a shell's &: the worker would inherit it
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	worker := exec.CommandContext(ctx, python, path)
	worker.Env = append(os.Environ(), "ATELIER_URL="+s.URL, "ATELIER_API_KEY="+painter.Key)
	var complaints bytes.Buffer
	worker.Stderr = &complaints
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	says := func(want string) {
		t.Helper()
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("the worker says %q, want %q; %s", lines.Text(), want, complaints.String())
		}
	}
	says("connected")

	c := client.New(s.URL, ann.Key)
	step := render(t, c, map[string]any{"prompt": "a colour", "width": 256, "height": 320, "seed": 0x30_20_10})[0]
	says("finished")
	if step.Status != atelier.StatusCompleted || len(step.Artifacts) != 1 {
		t.Fatalf("the step is %s with %+v: %+v", step.Status, step.Artifacts, step.Error)
	}
	body, _, err := c.Download(ctx, step.Artifacts[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	img, format, err := image.Decode(body)
	if err != nil || format != "png" || img.Bounds() != image.Rect(0, 0, 256, 320) {
		t.Fatalf("it painted another picture (%q), %v", format, err)
	}
	if got, want := color.NRGBAModel.Convert(img.At(100, 100)), (color.NRGBA{0x10, 0x20, 0x30, 255}); got != want {
		t.Errorf("its colour is %v, want %v, that of the seed", got, want)
	}

	colour := map[string]any{"prompt": "a colour", "width": 256, "height": 256}
	for _, step := range render(t, c, colour, colour, colour) { // each comes with the completion of the one before
		says("finished")
		if step.Status != atelier.StatusCompleted || len(step.Artifacts) != 1 {
			t.Errorf("a step is %s with %+v: %+v", step.Status, step.Artifacts, step.Error)
		}
	}

	step = render(t, c, map[string]any{"prompt": "a colour", "outputFormat": "jpg"})[0]
	says("finished")
	if step.Status != atelier.StatusFailed || step.Error == nil || !strings.Contains(step.Error.Message, "PNG") {
		t.Errorf("the step is %s: %+v; want a failure in the words of the worker", step.Status, step.Error)
	}

	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	says("disconnected")
	if err := worker.Wait(); err != nil || complaints.Len() > 0 {
		t.Errorf("the worker ended with %v: %s", err, complaints.String())
	}
}

// render runs a workflow of parallel pictures to its end.
func render(t *testing.T, c *client.Client, pictures ...map[string]any) []apitype.Step {
	t.Helper()
	var steps []atelier.StepInput
	for i, arguments := range pictures {
		steps = append(steps, atelier.StepInput{ID: fmt.Sprint("picture", i), ToolName: "generate_image", Arguments: arguments})
	}
	return ateliertest.Finish(t, c, client.Start{Steps: steps}).Steps
}
