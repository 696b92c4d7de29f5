package worker_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/worker"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	const h = "(hidden)"
	for in, want := range map[string]string{
		"": "",
		// What says nothing about the machine stays.
		"ComfyUI failed at node picture, VAEDecode: shapes do not fit":        "ComfyUI failed at node picture, VAEDecode: shapes do not fit",
		"a ratio of 16:9, 3/4 done, image/png and either/or; at 12:30:45":     "a ratio of 16:9, 3/4 done, image/png and either/or; at 12:30:45",
		"the file ae.safetensors in models/vae (https://huggingface.co/a/b)":  "the file ae.safetensors in models/vae (https://huggingface.co/a/b)",
		"ComfyUI answered 500 to /upload/image: no":                           "ComfyUI answered 500 to /upload/image: no",
		"ComfyUI did not answer GET /history/ab as it should":                 "ComfyUI did not answer GET /history/ab as it should",
		"c10::Error: std::bad_alloc, x::y, [1, 2] and [1, 3], version 0.33.0": "c10::Error: std::bad_alloc, x::y, [1, 2] and [1, 3], version 0.33.0",
		`Nothing in the picture matches "the boat".`:                          `Nothing in the picture matches "the boat".`,
		"ckpt_name: 'sdxl/a.safetensors' not in ['b.safetensors']; boat:5":    "ckpt_name: 'sdxl/a.safetensors' not in ['b.safetensors']; boat:5",
		"Value not in list: timesignature: '3' not in ['2', '4']":             "Value not in list: timesignature: '3' not in ['2', '4']",
		// Paths.
		"No such file or directory: '/home/ann b/ComfyUI/temp/atelier/x.png'": "No such file or directory: '" + h + "'",
		`cannot open "/srv/models/it's/x.png": no`:                            `cannot open "` + h + `": no`,
		"cannot open /root/x.png, /tmp/y.":                                    "cannot open " + h + ", " + h + ".",
		"cannot open ‘/home/ann/x’":                                           "cannot open ‘" + h,
		"cannot open /home/ann b/x.png":                                       "cannot open " + h,
		"path=/data/a:/data/b":                                                "path=" + h,
		"in (/opt/ComfyUI/nodes.py:12)":                                       "in (" + h + ")",
		"see ~/ComfyUI/user/x and ~ann/y":                                     "see " + h + " and " + h,
		`  File "/opt/ComfyUI/execution.py", line 12, in f`:                   `  File "` + h + `", line 12, in f`,
		`[WinError 2] 'C:\\Users\\Ann B\\ComfyUI\\x.png'`:                     `[WinError 2] '` + h + `'`,
		`open C:\Users\Ann B\ComfyUI\x.png failed`:                            `open ` + h + ` failed`,
		`open D:/ComfyUI/x.png failed`:                                        `open ` + h + ` failed`,
		`open \\nas\share\x.png failed`:                                       `open ` + h + ` failed`,
		`open %USERPROFILE%\ComfyUI\x failed`:                                 `open ` + h + ` failed`,
		"cut off: '/home/ann/Comf":                                            "cut off: '" + h + "'",
		"file:///home/ann/x.png and file:/home/ann/x.png":                     h + " and file:" + h,
		"%2Fhome%2Fann%2Fx.png, C%3A%5CUsers%5Cann":                           h + ", " + h,
		"file%3A%2F%2F%2Fhome%2Fann":                                          h,
		"über/unter, ein Weg:/mnt/ä/ö.png":                                    "über/unter, ein Weg:" + h,
		// Addresses.
		"ComfyUI at http://10.0.0.7:8188 does not answer":      "ComfyUI at " + h + " does not answer",
		"https://huggingface.co/a?token=x":                     h,
		"https://ann:pw@huggingface.co/a":                      h,
		"dial tcp 10.0.0.7:8188: connection refused":           "dial tcp " + h + ": connection refused",
		"from [fe80::1%eth0]:8188, ::1 and fe80::a.":           "from " + h + ", " + h + " and " + h + ".",
		"Cannot connect to host comfy-7:8188 ssl:default":      "Cannot connect to host " + h + " ssl:default",
		"HTTPConnectionPool(host='gpu', port=81): Max retries": "HTTPConnectionPool(" + h + ", port=81): Max retries",
		"error:10.0.0.7:81":                                    "error:" + h,
		"localhost and gpu-7.internal and db.example.org:81":   h + " and " + h + " and " + h,
		"scp ann@gpu-7:/home/ann/x":                            "scp " + h,
	} {
		got := worker.Redact(in)
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
		if again := worker.Redact(got); again != got {
			t.Errorf("%q: redacted again: %q", in, again)
		}
	}
}

// However a path is quoted, and whatever is before and behind it, no part of it is left.
func FuzzRedact(f *testing.F) {
	for _, s := range []string{"", " ", ": ", "('", "it is ", "a, b; ", "\n  File \"", "%", "\\", "é "} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 1000 {
			return
		}
		if before != "" {
			before += " "
		}
		for _, secret := range []string{"/home/marguerite/x.png", "'/home/marguerite/x.png'", `"C:\\Users\\marguerite\\x.png"`, `C:\Users\marguerite\x`, "http://marguerite:8188/x", "%2Fhome%2Fmarguerite", "marguerite:8188"} {
			if strings.Contains(before+after, "marguerite") {
				return
			}
			if got := worker.Redact(before + secret + " " + after); strings.Contains(got, "marguerite") {
				t.Fatalf("%q after %q is left in %q", secret, before, got)
			}
		}
	})
}
