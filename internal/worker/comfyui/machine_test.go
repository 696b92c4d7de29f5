package comfyui_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/machine"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// stats is an answer to /system_stats, with one device.
func stats(version, device string, total, free int64, argv ...string) func() any {
	return func() any {
		return map[string]any{
			"system":  map[string]any{"comfyui_version": version, "argv": argv},
			"devices": []any{map[string]any{"name": device, "type": "cuda", "index": 0, "vram_total": total, "vram_free": free, "torch_vram_total": 1, "torch_vram_free": 1}},
		}
	}
}

// onMachine has instances answer at addresses of a machine, in their order.
func onMachine(o *comfyui.Options, host string, instances ...*comfy) {
	at := map[string]string{}
	for i, c := range instances {
		u, _ := url.Parse(c.URL)
		local := net.JoinHostPort(host, []string{"8188", "8189", "8190"}[i])
		at[local], o.URLs[i] = u.Host, "http://"+local
	}
	o.Dial = func(ctx context.Context, kind, address string) (net.Conn, error) {
		return network.Dial(ctx, kind, at[address])
	}
}

func card(index, uuid, name string, celsius float64) machine.GPU {
	return machine.GPU{Index: index, UUID: uuid, Name: name, Total: new(int64(100)), Free: new(int64(90)), Temperature: &celsius, Power: new(2 * celsius)}
}

func cards(list ...machine.GPU) func(context.Context) ([]machine.GPU, error) {
	return func(context.Context) ([]machine.GPU, error) { return list, nil }
}

// gpusOf writes GPUs as "name used/total celsius", with a dash for what is not known.
func gpusOf(t *testing.T, m apitype.Machine) string {
	t.Helper()
	var lines []string
	for _, g := range m.GPUs {
		text, err := json.Marshal([]any{g.UsedBytes(), g.MemoryTotalBytes, g.TemperatureCelsius, g.PowerWatts})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, g.Name+" "+string(text))
	}
	return strings.Join(lines, "; ")
}

// What ComfyUI says of its GPU and what the driver says are put together only where they are certain to
// be about the same one.
func TestMachine(t *testing.T) {
	t.Parallel()
	h200 := stats("0.33.0", "cuda:0 NVIDIA H200 : cudaMallocAsync", 1000, 300, "main.py")
	for _, x := range []struct {
		name    string
		about   []func() any
		remote  bool
		devices []string
		cards   []machine.GPU
		want    string
	}{
		{"one of the name", []func() any{h200}, false, nil, []machine.GPU{card("0", "GPU-a", "Quadro", 30), card("1", "GPU-b", "NVIDIA H200", 60)}, `NVIDIA H200 [700,1000,60,120]`},
		{"two of the name", []func() any{h200}, false, nil, []machine.GPU{card("0", "GPU-a", "NVIDIA H200", 30), card("1", "GPU-b", "NVIDIA H200", 60)}, `NVIDIA H200 [700,1000,null,null]`},
		{"chosen by index", []func() any{h200, h200}, false, []string{"1", "0"}, []machine.GPU{card("0", "GPU-a", "NVIDIA H200", 30), card("1", "GPU-b", "NVIDIA H200", 60)},
			`NVIDIA H200 [700,1000,60,120]; NVIDIA H200 [700,1000,30,60]`},
		{"chosen by UUID", []func() any{h200}, false, []string{"GPU-b"}, []machine.GPU{card("0", "GPU-a", "NVIDIA H200", 30), card("1", "GPU-bcd", "NVIDIA H200", 60)}, `NVIDIA H200 [700,1000,60,120]`},
		{"chosen with an argument of ComfyUI", []func() any{stats("1", "cuda:0 NVIDIA H200 : native", 1000, 300, "main.py", "--cuda-device", "1")}, false, nil,
			[]machine.GPU{card("0", "GPU-a", "NVIDIA H200", 30), card("1", "GPU-b", "NVIDIA H200", 60)}, `NVIDIA H200 [700,1000,60,120]`},
		{"numbered in another order", []func() any{h200}, false, []string{"0"}, []machine.GPU{card("0", "GPU-a", "Quadro", 30), card("1", "GPU-b", "NVIDIA H200", 60)}, `NVIDIA H200 [700,1000,60,120]`},
		{"on another machine", []func() any{h200}, true, nil, []machine.GPU{card("0", "GPU-a", "NVIDIA H200", 30)}, `NVIDIA H200 [700,1000,null,null]`},
		{"without a driver", []func() any{h200}, false, nil, nil, `NVIDIA H200 [700,1000,null,null]`},
		{"without a GPU", []func() any{stats("1", "cpu", 1000, 300)}, false, nil, nil, ``},
		{"with odd numbers", []func() any{stats("1", "cuda:0 \x1b[31mcard\n : native", -5, 1<<62)}, false, nil, nil, `[31mcard [null,null,null,null]`},
		{"with more free than there is", []func() any{stats("1", "mps", 10, 20)}, false, nil, nil, `mps [0,10,null,null]`},
	} {
		inBubble(t, x.name, func(t *testing.T) {
			var all []*comfy
			for _, about := range x.about {
				all = append(all, start(t, func(c *comfy) { c.about = about }))
			}
			r := open(t, func(o *comfyui.Options) {
				o.Devices, o.GPUs = x.devices, cards(x.cards...)
				if x.cards == nil {
					o.GPUs = func(context.Context) ([]machine.GPU, error) { return nil, errors.New("no driver") }
				}
				host := "127.0.0.1"
				if x.remote {
					host = "10.0.0.5"
				}
				onMachine(o, host, all...)
			}, all...)
			m := r.Machine(t.Context())
			if got := gpusOf(t, m); got != x.want {
				t.Errorf("got  %s\nwant %s", got, x.want)
			}
			if m.DiskFreeBytes == nil || m.DiskTotalBytes == nil || *m.DiskFreeBytes > *m.DiskTotalBytes {
				t.Errorf("the disk of the worker is not known: %+v", m)
			}
		})
	}
}

// While ComfyUI is away, its GPU is still listed, and the driver says how warm it is.
func TestMachineOfComfyUIThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) {
			c.about = stats("0.33.0", "cuda:0 NVIDIA H200 : native", 1000, 300, filepath.Join(t.TempDir(), "main.py"), "--output-directory=/nonexistent")
		})
		r := open(t, func(o *comfyui.Options) {
			o.GPUs = cards(card("0", "GPU-a", "NVIDIA H200", 30))
			onMachine(o, "localhost", c)
		}, c)
		if m := r.Machine(t.Context()); m.Renderer != "ComfyUI 0.33.0" || m.DiskFreeBytes == nil {
			t.Errorf("got %+v", m)
		}
		c.setDown(true)
		synctest.Wait()
		until(t, r, "it is away", func(s worker.State) bool { return s.Unavailable != "" })
		m := r.Machine(t.Context())
		if got, want := gpusOf(t, m), `NVIDIA H200 [10,100,30,60]`; got != want || m.Renderer != "ComfyUI 0.33.0" {
			t.Errorf("got %s, %q, want %s", got, m.Renderer, want)
		}
	})
}
