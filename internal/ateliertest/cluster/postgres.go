package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Postgres is a primary and a standby that streams from it. A commit waits for the
// standby, so that a failover loses nothing.
type Postgres struct {
	t       testing.TB
	c       *Cluster
	user    *user.User // who runs the servers; nil for who runs the test
	primary *database
	standby *database
	made    int
	route   func(socket string) // points the proxies of the nodes
}

// database is one of the servers.
type database struct {
	*program
	dir string
}

// socket is where it listens, and nowhere else.
func (d *database) socket() string { return filepath.Join(d.dir, ".s.PGSQL.5432") }

// url reaches it without a proxy.
func (d *database) url() string { return "postgres://postgres@/postgres?host=" + d.dir }

// serverSettings let a server forget everything in a power cut of the machine, which makes it quick: here only
// processes die.
var serverSettings = []string{
	"listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=200", "wal_retrieve_retry_interval=200ms",
	"shared_buffers=32MB", "min_wal_size=32MB", "max_wal_size=64MB", "wal_keep_size=32MB",
}

func startPostgres(c *Cluster, route func(socket string)) *Postgres {
	p := &Postgres{t: c.t, c: c, route: route}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		for _, name := range []string{"postgres", "nobody"} {
			if found, err := user.Lookup(name); err == nil {
				p.user = found
				break
			}
		}
	}
	p.primary = p.newDatabase()
	p.run(p.primary, "initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	p.start(p.primary)
	route(p.primary.socket())
	p.AddStandby()
	return p
}

// newDatabase makes the folder of a server, which its user owns.
func (p *Postgres) newDatabase() *database {
	p.t.Helper()
	p.made++
	d := &database{dir: filepath.Join(p.c.dir, "pg-"+strconv.Itoa(p.made))}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if p.c.options.SmallDisk && p.made == 1 {
		limitDisk(p.t, d.dir)
	}
	if p.user != nil {
		uid, _ := strconv.Atoi(p.user.Uid)
		gid, _ := strconv.Atoi(p.user.Gid)
		if err := os.Chown(d.dir, uid, gid); err != nil {
			p.t.Fatal(err)
		}
	}
	d.program = p.c.program(filepath.Base(d.dir), func() *exec.Cmd {
		args := []string{"-D", "data", "-k", d.dir}
		for _, s := range serverSettings {
			args = append(args, "-c", s)
		}
		return p.command(d, "postgres", args...)
	})
	return d
}

// command runs one of PostgreSQL's programs as the user of the servers.
func (p *Postgres) command(d *database, name string, args ...string) *exec.Cmd {
	if p.user != nil {
		args = append([]string{"--reuid=" + p.user.Uid, "--regid=" + p.user.Gid, "--clear-groups", "--pdeathsig=KILL", name}, args...)
		name = "setpriv"
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "HOME="+d.dir, "LC_ALL=C")
	return cmd
}

func (p *Postgres) run(d *database, name string, args ...string) {
	p.t.Helper()
	if out, err := p.command(d, name, args...).CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// start starts a server and waits until it answers. It refuses to start while a process of one that was killed still
// ends.
func (p *Postgres) start(d *database) {
	p.t.Helper()
	await(p.t, d.name+" answers", func() error {
		if d.isGone() {
			d.program.start(p.t)
		}
		_, err := p.SQL(d, "SELECT 1")
		return err
	})
}

// SQL runs a statement on a server and returns the rows, with | between columns.
func (p *Postgres) SQL(d *database, statement string) (string, error) {
	out, err := output(exec.Command("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, d.url()))
	return strings.TrimSpace(string(out)), err
}

func (p *Postgres) must(d *database, statement string) string {
	p.t.Helper()
	out, err := p.SQL(d, statement)
	if err != nil {
		p.t.Fatalf("%s: %v", statement, err)
	}
	return out
}

// AddStandby copies the primary and has commits wait for the copy from then on.
func (p *Postgres) AddStandby() {
	p.t.Helper()
	p.standby = p.newDatabase()
	p.run(p.standby, "pg_basebackup", "-h", p.primary.dir, "-U", "postgres", "-D", "data", "-R", "-X", "stream", "-c", "fast", "--no-sync")
	p.start(p.standby)
	p.must(p.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	p.must(p.primary, "SELECT pg_reload_conf()")
	p.awaitStandby()
}

// awaitStandby waits until commits wait for the standby.
func (p *Postgres) awaitStandby() {
	p.t.Helper()
	await(p.t, "the standby streams", func() error {
		state, err := p.SQL(p.primary, "SELECT state || ' ' || sync_state FROM pg_stat_replication")
		if err == nil && state != "streaming sync" {
			err = fmt.Errorf("the replication is %q", state)
		}
		return err
	})
}

// Restart ends the primary and starts it again: at once, as a crash would, or so that open transactions are ended.
func (p *Postgres) Restart(crash bool) {
	p.t.Helper()
	if crash {
		p.primary.kill()
	} else {
		p.run(p.primary, "pg_ctl", "stop", "-D", "data", "-m", "fast", "-t", "120")
		<-p.primary.group.Gone
		p.primary.group = nil
	}
	p.start(p.primary)
	p.awaitStandby()
}

// Failover kills the primary and has the standby take its place. It has no standby until AddStandby.
func (p *Postgres) Failover() {
	p.t.Helper()
	p.primary.kill()
	p.must(p.standby, "SELECT pg_promote(true, 120)")
	p.primary, p.standby = p.standby, nil
	p.route(p.primary.socket())
}
