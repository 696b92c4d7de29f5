# Running commands so that a signal to the script reaches everything below it.
# shellcheck shell=bash

# run CMD...: runs CMD as if in the foreground. bash handles a trap only after a
# foreground child has ended, which for a test run can be a quarter of an hour
# after the signal came; waiting for a background child has no such delay.
run() {
  local child status=0
  # A background child would otherwise read /dev/null and ignore Ctrl-C.
  (trap - INT; exec "$@") <&0 &
  child=$!
  trap 'interrupted "$child" 130' INT
  trap 'interrupted "$child" 143' TERM HUP
  wait "$child" || status=$?
  trap - INT TERM HUP
  return "$status"
}

# interrupted PID STATUS: ends the command and then the script, whose EXIT trap
# must not be cut short by a second signal.
interrupted() {
  trap '' INT TERM HUP
  stop_tree "$1"
  wait "$1" || true
  exit "$2"
}

# stop_tree PID: asks PID and all its descendants to end, the deepest first.
# `go test` does not pass a signal on to the test binaries it started.
stop_tree() {
  local child
  # shellcheck disable=SC2013 # the pids are words of one line
  for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
    stop_tree "$child"
  done
  kill -TERM "$1" 2>/dev/null || true
}

# take_dir NAME: sets $dir to a directory of this checkout for the server NAME, and $number to a number
# that goes with it. Both are the same each time: go test keeps the result of a test only for the
# same variables. A lock, the file descriptor 9, keeps a second run waiting; a server
# must not inherit it. The directory may have what a run left that was killed.
take_dir() {
  local sum
  sum=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd | sha256sum)
  # Short enough for a socket, and in reach of another user: not TMPDIR.
  dir=/tmp/atelier-$1-$EUID-${sum:0:8}
  # shellcheck disable=SC2034 # with-s3 uses it
  number=$((16#${sum:0:8}))
  if ! command -v flock >/dev/null; then
    dir=$(mktemp -d "$dir.XXXXXX")
    return
  fi
  exec 9>>"$dir.lock"
  flock -n 9 || { echo "waiting for another run in this checkout to end" >&2; flock 9; }
}
