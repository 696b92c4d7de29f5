package child

// SparePID is the process number of the spare child, 0 without one.
func (r *Renderer) SparePID() int {
	r.spare.mu.Lock()
	defer r.spare.mu.Unlock()
	if r.spare.child == nil {
		return 0
	}
	return r.spare.child.Cmd.Process.Pid
}

// KillSpare kills the spare child as the kernel would, without the renderer's
// knowledge.
func (r *Renderer) KillSpare() {
	r.spare.mu.Lock()
	p := r.spare.child
	r.spare.mu.Unlock()
	p.kill()
	<-p.Gone
}

// DropSpare does what happens when no job comes for a while.
func (r *Renderer) DropSpare() {
	r.spare.mu.Lock()
	p := r.spare.child
	r.spare.mu.Unlock()
	r.spare.drop(p)
}

// StartSpare does what happens when a job begins.
func (r *Renderer) StartSpare() { r.startSpare() }
