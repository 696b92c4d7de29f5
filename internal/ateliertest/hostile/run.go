package hostile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Options say what to attack, and for how long.
type Options struct {
	URL       string
	PID       int      // of the server process, whose memory is watched
	Honest    string   // the key of the honest account
	Attackers []string // the keys of the others
	Quiet     time.Duration
	Attack    time.Duration
	Command   []string // runs Main in a separate process
}

// Run measures the honest account alone and then beside the attackers.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := newReport()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := newHonest(o.URL, o.Honest, r)
	if err := h.render(ctx); err != nil { // also warms the service up
		return r, fmt.Errorf("the first render: %w", err)
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() { h.work(working) })
	wg.Go(func() { watch(working, o.PID, r) })
	if err := wait(ctx, o.Quiet); err != nil {
		return r, err
	}
	attackers, err := launch(ctx, o)
	if err != nil {
		return r, err
	}
	h.attacked.Store(true)
	err = attackers.finish(r)
	stop()
	wg.Wait()
	return r, err
}

// orders is what the process of the attackers is told.
type orders struct {
	URL  string
	Keys []string
	For  time.Duration
}

type attackerProcess struct {
	command *exec.Cmd
	out     io.Reader
}

// launch starts the attackers and returns once they attack.
func launch(ctx context.Context, o Options) (*attackerProcess, error) {
	c := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	told, err := json.Marshal(orders{o.URL, o.Attackers, o.Attack})
	if err != nil {
		return nil, err
	}
	c.Env = append(os.Environ(), environment+"="+string(told))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	buffered := bufio.NewReader(out)
	if _, err := buffered.ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("the attackers did not start: %w", err), c.Wait())
	}
	return &attackerProcess{c, buffered}, nil
}

// finish waits for the end and reads how often each attack was made.
func (p *attackerProcess) finish(r *Report) error {
	var made map[string]Tries
	err := json.NewDecoder(p.out).Decode(&made)
	r.mu.Lock()
	r.Attacks = made
	r.mu.Unlock()
	return errors.Join(err, p.command.Wait())
}

// environment tells a process that it is to be the attackers.
const environment = "ATELIER_TEST_ATTACKERS"

// Main attacks if this process was started for it, and then ends the process.
func Main() {
	told := os.Getenv(environment)
	if told == "" {
		return
	}
	var o orders
	if err := json.Unmarshal([]byte(told), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	yield()
	made := o.attack()
	_ = json.NewEncoder(os.Stdout).Encode(made)
	os.Exit(0)
}

// attack runs every attacker until the time is over.
func (o orders) attack() map[string]Tries {
	weapons := newArsenal()
	fmt.Println("attacking")
	ctx, cancel := context.WithTimeout(context.Background(), o.For)
	defer cancel()
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		made = map[string]Tries{}
	)
	for i, key := range o.Keys {
		wg.Go(func() {
			t, err := newTenant(o.URL, key, i)
			if err != nil {
				return
			}
			for ctx.Err() == nil {
				for _, which := range rand.Perm(len(attacks)) {
					a := attacks[which]
					began := time.Now()
					_ = a.do(ctx, t, weapons) // most are refused: that is what they are for
					mu.Lock()
					made[a.name] = made[a.name].add(time.Since(began))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return made
}
