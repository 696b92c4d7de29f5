package telemetry

import "runtime/metrics"

// MemoryHeld is how much memory this process has from the system.
func MemoryHeld() int64 {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(held)
	return int64(held[0].Value.Uint64() - held[1].Value.Uint64())
}
