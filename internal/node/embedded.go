package node

import (
	"os"
	"runtime"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
)

// embeddedWorkers are the CPU workers beside this process, one for each lane.
func (n *Node) embeddedWorkers() (list []worker.Worker) {
	for _, lane := range n.lanes(runtime.NumCPU(), child.Memory()-decodeMemory()) {
		list = append(list, worker.Worker{
			Renderer: lane.renderer, Pace: n.config.Workers.EmbeddedPace,
			Spec: apitype.WorkerSpec{Name: lane.name + " on " + hostName(), Network: lane.network, Models: lane.models, Capacity: lane.slots, Fallback: true, GPU: "none"},
		})
	}
	return list
}

// lane is a part of the embedded worker with its own slots, so that renders of
// other lanes cannot delay it.
type lane struct {
	name     string
	network  atelier.Network
	models   []string
	slots    int
	renderer worker.Renderer
}

// lanes lists a lane for each network, and in each network one for free tools: an
// account without money uses neither the slots nor the memory of paying ones. There
// are more slots than cores, because a long render runs at a lower priority than a
// short one.
func (n *Node) lanes(cores int, memory int64) []lane {
	var free, paid []string
	for _, id := range append(n.plain.NativeModels(), n.plain.WorkerTools()...) {
		if n.catalog.FreeTool(id) {
			free = append(free, id)
		} else {
			paid = append(paid, id)
		}
	}
	size := laneSizes(cores, memory)
	costly := n.cpuRenderer(child.Options{Slots: size.paid + size.paidRelaxed, Memory: size.paidMemory, Spare: true})
	cheap := n.cpuRenderer(child.Options{Slots: size.free + size.freeRelaxed, Memory: size.freeMemory, Behind: true})
	return []lane{
		{"embedded fast", atelier.NetworkFast, paid, size.paid, costly},
		{"embedded relaxed", atelier.NetworkRelaxed, paid, size.paidRelaxed, costly},
		{"embedded fast, free tools", atelier.NetworkFast, free, size.free, cheap},
		{"embedded relaxed, free tools", atelier.NetworkRelaxed, free, size.freeRelaxed, cheap},
	}
}

// hostName is the name of this machine.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

// The least memory of a slot. A render without enough memory fails, one without a
// slot waits. Free tools read a picture and make none.
const (
	minMemory     = 256 << 20
	minFreeMemory = 128 << 20
)

// laneSize is how many slots and how much memory the lanes of a machine have.
type laneSize struct {
	paid, paidRelaxed, free, freeRelaxed int
	paidMemory, freeMemory               int64
}

// laneSizes divides a machine. On a small machine, too, ordinary pictures fit into
// a lane: when memory runs out, the kernel ends a renderer and not the service.
func laneSizes(cores int, memory int64) (s laneSize) {
	s.paid = max(2, min(2*cores, 8, int(memory/minMemory)))
	s.paidRelaxed = max(2, s.paid/2)
	s.paidMemory = max(memory/4*3, 2*minMemory)
	s.freeMemory = max(memory/4, 2*minFreeMemory)
	free := int(s.freeMemory / minFreeMemory)
	s.free = min(s.paidRelaxed, free-1)
	s.freeRelaxed = min(2, free-s.free)
	return s
}

// cpuRenderer is the renderer of the embedded worker: it renders in child
// processes, or in this one where no command for them is known.
func (n *Node) cpuRenderer(o child.Options) worker.Renderer {
	if n.renderCommand == nil {
		return kit.Renderer{}
	}
	o.Name, o.Command, o.Log = kit.Renderer{}.Name(), n.renderCommand, n.log
	return child.New(o)
}
