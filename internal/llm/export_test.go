package llm

// IdleConns is how many connections wait for the next request.
func (u *Upstream) IdleConns() int {
	u.pool.mu.Lock()
	defer u.pool.mu.Unlock()
	return len(u.pool.idle)
}
