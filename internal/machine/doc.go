// Package machine measures the machine that this process runs on: the space on the disk of a directory,
// and the GPUs, by the tool of NVIDIA's driver. What it asks may hang, such as a driver that is broken
// or a disk of another machine: nothing here waits for that.
package machine
