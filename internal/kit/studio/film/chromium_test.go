package film_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// The page plays the clip to its end and reports what it saw and heard.
const page = `<!doctype html><body><video id=v src="/clip" playsinline></video><script>
const v = document.getElementById("v"), report = {};
let sent = false;
async function send() {
  if (sent) return; sent = true;
  const c = document.createElement("canvas");
  c.width = v.videoWidth || 1; c.height = v.videoHeight || 1;
  const g = c.getContext("2d"); g.drawImage(v, 0, 0);
  const at = (x, y) => Array.from(g.getImageData(Math.floor(x * c.width), Math.floor(y * c.height), 1, 1).data).slice(0, 3);
  Object.assign(report, {width: v.videoWidth, height: v.videoHeight, duration: v.duration, time: v.currentTime, ended: v.ended,
    error: v.error ? v.error.message : "", frames: v.webkitDecodedFrameCount, audioBytes: v.webkitAudioDecodedByteCount || 0,
    pixels: [at(.125, .125), at(.625, .125), at(.125, .625), at(.625, .625)]});
  try {
    const data = await (await fetch("/clip")).arrayBuffer();
    const sound = await new OfflineAudioContext(2, 48000, 48000).decodeAudioData(data);
    report.soundSeconds = sound.duration; report.soundChannels = sound.numberOfChannels;
    report.peak = sound.getChannelData(0).reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  } catch (e) { report.soundError = String(e); }
  await fetch("/report", {method: "POST", body: JSON.stringify(report)});
}
v.onended = send; v.onerror = send; v.play().catch(e => { report.play = String(e); });
setTimeout(send, 20000);
</script>`

type seen struct {
	Width, Height      int
	Duration, Time     float64
	Ended              bool
	Error, Play        string
	Frames, AudioBytes int
	Pixels             [4][3]uint8
	SoundSeconds, Peak float64
	SoundChannels      int
	SoundError         string
}

// watch lets Chromium play a clip.
func watch(t *testing.T, chromium, path string) seen {
	t.Helper()
	got := make(chan seen, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	})
	mux.HandleFunc("GET /clip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		http.ServeFile(w, r, path)
	})
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		var s seen
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			t.Error(err)
		}
		got <- s
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	profile, err := os.MkdirTemp("", "chromium-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		// Its children outlive it by a moment, and still write.
		for range 40 {
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--autoplay-policy=no-user-gesture-required",
		"--mute-audio", "--user-data-dir="+profile, server.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	select {
	case s := <-got:
		return s
	case <-time.After(90 * time.Second):
		t.Fatal("chromium did not report")
	}
	return seen{}
}

func TestChromiumPlays(t *testing.T) {
	worktest.NeedFull(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not on the PATH")
	}
	for _, engine := range engines(t) {
		for _, format := range []string{"mp4", "mov"} {
			t.Run(string(engine)+"/"+format, func(t *testing.T) {
				o := film.Options{Width: 322, Height: 182, FPS: 24, Frames: 48, Format: format, Engine: engine, Sound: tone(48000, 2)}
				_, path := write(t, o)
				s := watch(t, chromium, path)
				if s.Error != "" || !s.Ended || s.Width != o.Width || s.Height != o.Height || s.Duration < 1.95 || s.Duration > 2.1 {
					t.Fatalf("chromium saw %+v", s)
				}
				for k, want := range quarters {
					p := s.Pixels[k]
					// Without a GPU Chromium multiplies Cb by 2.0 where BT.709 has 2.11.
					if far(p[0], want.R) || far(p[1], want.G) || (far(p[2], want.B) && (p[2] > want.B+8 || p[2] < want.B-8)) {
						t.Errorf("quarter %d is %v, want %v", k, p, want)
					}
				}
				t.Logf("%+v", s)
				if format == "mov" && engine == film.BuiltIn {
					return // PCM in MOV is for QuickTime; a browser may or may not play it
				}
				if s.AudioBytes == 0 || s.SoundSeconds < 1.9 || s.SoundChannels != 2 || s.Peak < 0.3 {
					t.Errorf("chromium heard %+v", s)
				}
			})
		}
	}
}
