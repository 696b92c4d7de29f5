// Package process starts ComfyUI processes on this machine, one for each GPU, and
// keeps them running.
//
// It knows nothing of jobs. The renderer of the comfyui package gets the addresses
// and sees a ComfyUI that stops answering and answers again, as one on another
// machine may.
//
// What must always hold:
//
//   - A process is started only while its port is free, and the next one for a GPU
//     only when the process group of the last one is dead.
//   - A process that ends, or does not answer for too long, is started again, after a
//     wait that doubles while it keeps failing.
//   - No process outlives Close. On Linux the process that the command is does not
//     outlive this one either, even if this one is killed; what it has started may.
//   - The processes do not get the variables of this program, which hold its API key.
package process
