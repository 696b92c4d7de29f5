package main

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
)

// A worker is shown with its gauges and their history, and what a hostile one has written cannot
// control the terminal.
func TestShowWorker(t *testing.T) {
	t.Parallel()
	w := shownWorker{}
	w.Name, w.GPU, w.Capacity = "stu\x1b[31mdio", "NVIDIA H200", 2
	w.Jobs = []apitype.WorkerJob{{JobID: "j1", ModelID: "m", ToolName: "generate_image", Username: "ann", Progress: 0.42}}
	w.Failures = []apitype.WorkerFailure{{JobID: "j0", Code: "out_of_memory", Message: "The GPU\nis too\x1b[2J small."}}
	w.Standing = &apitype.WorkerStanding{IsLow: true, Reason: "It\x1b[2J fails.", Lapses: []apitype.WorkerLapse{{JobID: "j2", ModelID: "m", Code: apitype.LapseSilent, Message: "It stopped\nreporting."}}}
	w.Machine = &apitype.ReportedMachine{Machine: apitype.Machine{
		Renderer: "ComfyUI 0.33.0", DiskFreeBytes: new(int64(3 << 30)), DiskTotalBytes: new(int64(9 << 30)),
		GPUs: []apitype.GPU{{Name: "NVIDIA H200", MemoryTotalBytes: new(int64(100 << 30)), MemoryFreeBytes: new(int64(25 << 30)), TemperatureCelsius: new(61.4)}},
	}}
	for _, celsius := range []*float64{new(40.0), nil, new(50.0), new(61.0)} {
		p := apitype.WorkerHistoryPoint{}
		if celsius != nil {
			p.GPUs = []apitype.GPUHistory{{TemperatureCelsius: celsius}}
			p.DiskFreeBytes = new(int64(5))
		}
		w.History.Points = append(w.History.Points, p)
	}
	var out strings.Builder
	if err := w.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Worker     stu[31mdio\n", "Status     takes jobs\n", "ComfyUI 0.33.0\n", "Renders 1 of 2 jobs\n", "ann", "42 %",
		"75.0 GiB of 100.0 GiB", "61 °C", "▁·▄█\n", "3.0 GiB of 9.0 GiB     ▁·▁▁\n", "The GPU is too[2J small.\n",
		"Standing   low since 0001-01-01T00:00:00Z: others are preferred, next trial from 0001-01-01T00:00:00Z. It[2J fails.\n", "lease_expired  It stopped reporting.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("it has control characters: %q", out.String())
	}
}
