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

# compile CMD...: runs a command that compiles, and runs nothing of what it compiles. With
# more memory it spends an eighth less time, because it collects garbage less often.
compile() {
  GOGC=400 "$@"
}

# check_vet: without cgo, as the product is built, so that the build which
# follows finds everything compiled.
check_vet() {
  echo "go vet ./..."
  CGO_ENABLED=0 compile go vet ./...
}

# check_staticcheck: without cgo too, after need_staticcheck. It keeps what it
# found out about each package: only those that changed are looked at again. With
# more memory it spends less time on collecting garbage.
check_staticcheck() {
  echo "staticcheck ./..."
  CGO_ENABLED=0 GOGC=400 GOMEMLIMIT=3GiB "$(staticcheck_program)" ./...
}
