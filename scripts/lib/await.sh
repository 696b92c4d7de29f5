# Waiting for processes that a script started.
# shellcheck shell=bash

# await FILE PATTERN PID: waits until the output of a process in FILE has a line
# that matches PATTERN.
await() {
  local try=0
  while ((try++ < 600)); do
    grep -q "$2" "$1" 2>/dev/null && return
    kill -0 "$3" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
