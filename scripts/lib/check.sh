# Checks that test and lint share.
# shellcheck shell=bash

# check_format: gofmt has nothing to say about any Go file of the repository.
check_format() {
  local files
  echo "gofmt"
  files=$(find . -name '.?*' -prune -o -name '*.go' -print0 | xargs -0 -r gofmt -l)
  if [[ -n $files ]]; then
    printf 'not formatted, run gofmt -w on:\n%s\n' "$files" >&2
    return 1
  fi
}

# quick_tools: a flag for GOFLAGS. The compiler, the linker and vet collect garbage only
# when they near two gigabytes, which saves the compiler a sixth of its time. What they
# compile is the same, and tests collect garbage as ever.
# shellcheck disable=SC2034 # test and lint use it
quick_tools="'-toolexec=env GOGC=off GOMEMLIMIT=2GiB'"

check_vet() {
  echo "go vet ./..."
  go vet ./...
}

# check_staticcheck: after need_staticcheck. It keeps what it found out about each
# package: only those that changed are looked at again. With more memory it spends
# less time on collecting garbage.
check_staticcheck() {
  echo "staticcheck ./..."
  GOGC=off GOMEMLIMIT=3GiB "$(staticcheck_program)" ./...
}
