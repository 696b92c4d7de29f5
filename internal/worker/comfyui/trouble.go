package comfyui

import (
	"regexp"
	"slices"
	"strings"
)

// trouble is what a failed node says about the machine that it ran on.
type trouble int

const (
	noTrouble   trouble = iota // it says something about the job
	diskTrouble                // ComfyUI cannot write
	gpuTrouble                 // there is no GPU or no driver that works
	// crashTrouble is a GPU whose context is broken until ComfyUI is started again. The job may be
	// the reason, so it counts as tried: one that breaks every GPU must not go from worker to worker.
	crashTrouble
)

// cause is a trouble as customers read it.
func (t trouble) cause() string {
	if t == diskTrouble {
		return "the disk of the worker is full or cannot be written"
	}
	return "the GPU of the worker does not work"
}

// The numbers of the operating system for a disk that is full, a quota that is used up, a disk
// that is read-only, and one that is broken.
var diskErrors = regexp.MustCompile(`^\[Errno (?:28|122|30|5)\] `)

// What FFmpeg says of a disk. It also says 5 of a file that ends too early.
var encoderErrors = regexp.MustCompile(`^\[Errno (?:28|122|30)\] `)

// What the CUDA runtime says, in its own words, of a machine without a GPU that works, and of a
// context that no call can use any more.
var (
	gpuErrors = []string{
		"no CUDA-capable device is detected", "driver shutting down", "initialization error", "unknown error", "invalid device ordinal",
		"CUDA-capable device(s) is/are busy or unavailable", "system not yet initialized", "system has unsupported display driver / cuda driver combination",
		"CUDA driver version is insufficient for CUDA runtime version", "uncorrectable ECC error encountered", "GPU is lost",
	}
	crashErrors = []string{
		"an illegal memory access was encountered", "an illegal instruction was encountered", "misaligned address", "unspecified launch failure",
		"device-side assert triggered", "the launch timed out and was terminated", "hardware stack error", "operation not supported on global/shared address space", "invalid program counter",
		"context is destroyed",
	}
)

// trouble decides whether a failure is one of the machine or one of the job. A text that an
// exception carries may repeat what a customer wrote, such as a prompt or the name of a LoRA, so
// a word in it decides nothing. What decides is the type of the exception; the number of the
// operating system at the very beginning of the text; and the whole first line as the CUDA
// runtime writes it, of an exception that no Python code has raised.
func (f nodeFailure) trouble() trouble {
	first, _, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
	first = strings.TrimSpace(first)
	switch {
	case strings.HasPrefix(f.Type, "av.error."):
		if encoderErrors.MatchString(first) {
			return diskTrouble
		}
	case f.Type == "OSError" || f.Type == "IOError" || f.Type == "PermissionError":
		if diskErrors.MatchString(first) {
			return diskTrouble
		}
	case f.Type == "torch.AcceleratorError", f.Type == "torch.cuda.DeferredCudaCallError", f.Type == "RuntimeError" && f.isFromNative():
		return nativeTrouble(first)
	}
	return noTrouble
}

// nativeTrouble reads an error of the CUDA or HIP runtime.
func nativeTrouble(line string) trouble {
	if line == "No CUDA GPUs are available" || line == "No HIP GPUs are available" || strings.HasPrefix(line, "Found no NVIDIA driver on your system.") {
		return gpuTrouble
	}
	said, isCUDA := strings.CutPrefix(line, "CUDA error: ")
	if !isCUDA {
		if said, isCUDA = strings.CutPrefix(line, "HIP error: "); !isCUDA {
			return noTrouble
		}
	}
	switch {
	case slices.Contains(gpuErrors, said):
		return gpuTrouble
	case slices.Contains(crashErrors, said):
		return crashTrouble
	}
	return noTrouble
}

// isFromNative reports whether the last line of Python in the traceback called something that
// failed, rather than raised the exception itself.
func (f nodeFailure) isFromNative() bool {
	if len(f.Traceback) == 0 {
		return false
	}
	lines := strings.Split(strings.TrimSpace(f.Traceback[len(f.Traceback)-1]), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.Trim(line, " \t^~") == "" }) // marks below the code
	return len(lines) > 1 && !strings.HasPrefix(strings.TrimSpace(lines[len(lines)-1]), "raise ")
}
