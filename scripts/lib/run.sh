# Running commands so that a signal to the script reaches everything below it.
# shellcheck shell=bash

# run CMD...: runs CMD as if in the foreground. bash handles a trap only after a
# foreground child has ended, which for a test run can be a quarter of an hour
# after the signal came; waiting for a background child has no such delay.
run() {
  # A background child would otherwise read /dev/null and ignore Ctrl-C.
  (trap - INT; exec "$@") <&0 &
  wait_for $!
}

# wait_for PID: waits for a child, and has a signal end it.
wait_for() {
  local child=$1 status=0
  trap 'interrupted "$child" 130' INT
  trap 'interrupted "$child" 143' TERM HUP
  wait "$child" || status=$?
  trap - INT TERM HUP
  return "$status"
}

# beside CMD...: runs CMD, which may be a function, beside the commands that follow, until
# finish. There is one such command at a time. A script that uses this calls stop_beside
# when it exits.
beside() {
  beside_output=$(mktemp)
  (trap - INT; "$@") </dev/null >"$beside_output" 2>&1 &
  beside_pid=$!
}
beside_pid="" beside_output=""

# finish: waits for the command that runs beside, if there is one, and then shows what
# it printed. It fails when the command failed.
finish() {
  local status=0
  [[ -n $beside_pid ]] || return 0
  wait_for "$beside_pid" || status=$?
  cat "$beside_output"
  rm -f "$beside_output"
  beside_pid=""
  return "$status"
}

# stop_beside: ends the command that runs beside, if there is one.
stop_beside() {
  [[ -n $beside_pid ]] || return 0
  stop_tree "$beside_pid"
  wait "$beside_pid" || true
  rm -f "$beside_output"
  beside_pid=""
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
