# What the scripts need from the machine, beyond Go.
# shellcheck shell=bash
#
# A need is one function, need_THING. It succeeds when THING is there, or could
# be installed; otherwise it fails with the reason in $why. It never touches the
# network when THING is already there. A new need is a new function here, and a
# line in scripts/test saying what is left out without it.

why=""

need_cc() {
  have_cc || { apt_install gcc libc6-dev && have_cc; }
}

need_postgres() {
  [[ -n ${ATELIER_TEST_POSTGRES_URL:-} ]] || postgres_bin >/dev/null || { apt_install postgresql && postgres_bin >/dev/null; }
}

need_s3() {
  [[ -n ${ATELIER_TEST_S3_URL:-} || -x $(s3_program) ]] || build_s3
}

need_chromium() {
  have_chromium || { apt_install chromium && have_chromium; }
}

need_node() {
  have_node || { apt_install nodejs npm && have_node; }
}

need_js_sdks() {
  local link
  [[ -d $(js_sdks) ]] || install_js_sdks || return
  # Node.js looks for packages beside the files that import them.
  link=$(repository)/compat/js/node_modules
  [[ -L $link ]] || rm -rf "$link"
  ln -sfn "../../.cache/$(basename "$(js_sdks)")/node_modules" "$link"
}

need_go_sdk() {
  have_go_sdk off || fetch_go_sdk
}

# repository: prints where the repository is.
repository() {
  (cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
}

# have_cc: is there a C compiler with its library, as cgo would use it?
have_cc() {
  local cc
  read -ra cc <<<"$(go env CC)"
  echo '#include <stdlib.h>' | "${cc[@]}" -x c -fsyntax-only - 2>/dev/null ||
    { why="no C compiler was found"; return 1; }
}

have_chromium() {
  command -v chromium >/dev/null || { why="no Chromium was found"; return 1; }
}

# postgres_bin: prints the directory of the newest PostgreSQL server programs.
# Debian keeps each version in a directory of its own, outside PATH.
postgres_bin() {
  local dir
  for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) "$(dirname "$(command -v initdb)")"; do
    if [[ -x $dir/initdb && -x $dir/pg_ctl && -x $dir/postgres ]]; then
      echo "$dir"
      return
    fi
  done
  why="no PostgreSQL server was found"
  return 1
}

# s3_program: prints where the S3 server is, or will be once it is built: a place for
# each state of its sources.
s3_program() {
  local root sum
  root=$(repository)
  sum=$(cat "$root"/tools/go.mod "$root"/tools/s3/*.go | sha256sum)
  echo "$root/.cache/s3-${sum:0:16}"
}

# build_s3: builds the S3 server, which takes a minute, once for each state of its sources.
build_s3() {
  local program log
  program=$(s3_program)
  if [[ -n ${NO_INSTALL:-} ]]; then
    why="no S3 server was built, and NO_INSTALL is set"
    return 1
  fi
  echo "building the S3 server for the tests: this takes a minute or two, once"
  mkdir -p "$(dirname "$program")"
  log=$(mktemp)
  # It serves a few tests, so it is compiled quickly rather than well; the Go
  # library is compiled as for everything else, once. It gets its name only when
  # it is whole.
  if (cd "$(dirname "$program")/../tools" &&
    CGO_ENABLED=0 go build -ldflags='-s -w' -gcflags='github.com/...=-N -l -dwarf=false' -o "$program.$$" ./s3) >"$log" 2>&1 &&
    mv "$program.$$" "$program"; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -f "$log" "$program.$$"
  why="the S3 server could not be built"
  return 1
}

need_staticcheck() {
  [[ -x $(staticcheck_program) ]] || build_staticcheck
}

staticcheck_version=v0.8.2

# staticcheck_program: prints where staticcheck is, or will be once it is built: a
# place for each version and each Go, whose language it must know.
staticcheck_program() {
  echo "$(repository)/.cache/staticcheck-$staticcheck_version-$(go env GOVERSION)"
}

# build_staticcheck: builds staticcheck, once for each version.
build_staticcheck() {
  local program log
  program=$(staticcheck_program)
  if [[ -n ${NO_INSTALL:-} ]]; then
    why="staticcheck was not built, and NO_INSTALL is set"
    return 1
  fi
  echo "building staticcheck"
  mkdir -p "$program.$$"
  log=$(mktemp)
  # It gets its name only when it is whole.
  if GOBIN=$program.$$ CGO_ENABLED=0 go install "honnef.co/go/tools/cmd/staticcheck@$staticcheck_version" >"$log" 2>&1 &&
    mv "$program.$$/staticcheck" "$program"; then
    rm -rf "$log" "$program.$$"
    return
  fi
  tail -n 20 "$log" >&2
  rm -rf "$log" "$program.$$"
  why="staticcheck could not be fetched or built"
  return 1
}

# have_node: is there a Node.js that the SDKs run on, with its npm?
have_node() {
  local version
  version=$(node --version 2>/dev/null) || { why="no Node.js was found"; return 1; }
  npm --version >/dev/null 2>&1 || { why="no npm was found"; return 1; }
  version=${version#v}
  [[ ${version%%.*} -ge 18 ]] || { why="Node.js $version was found, and the SDKs need 18"; return 1; }
}

# js_sdks: prints where the SDKs for JavaScript are, or will be once they are
# installed: a place for each state of their lock file.
js_sdks() {
  local root sum
  root=$(repository)
  sum=$(sha256sum "$root/compat/js/package-lock.json")
  echo "$root/.cache/compat-js-${sum:0:16}"
}

# install_js_sdks: installs exactly what the lock file says.
install_js_sdks() {
  local dir log
  dir=$(js_sdks)
  if [[ -n ${NO_INSTALL:-} ]]; then
    why="the SDKs for JavaScript are not installed, and NO_INSTALL is set"
    return 1
  fi
  echo "installing the SDKs for JavaScript"
  mkdir -p "$dir.$$"
  cp "$(repository)"/compat/js/package{,-lock}.json "$dir.$$"
  log=$(mktemp)
  # It gets its name only when it is whole.
  if (cd "$dir.$$" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000) >"$log" 2>&1 &&
    mv "$dir.$$" "$dir"; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -rf "$log" "$dir.$$"
  why="npm could not install the SDKs for JavaScript from its registry"
  return 1
}

# have_go_sdk [PROXY]: is everything there that compat/go imports? What is not is
# fetched from PROXY, or from where Go is set up to fetch from.
have_go_sdk() {
  (cd "$(repository)/compat/go" && GOPROXY=${1:-$(go env GOPROXY)} go list -deps -test ./... >/dev/null 2>&1)
}

fetch_go_sdk() {
  if [[ -n ${NO_INSTALL:-} ]]; then
    why="openai-go is not in the module cache, and NO_INSTALL is set"
    return 1
  fi
  echo "fetching openai-go"
  have_go_sdk || { why="openai-go could not be fetched"; return 1; }
}

# need_python: for the worker of the guide, which a test runs.
need_python() {
  have_python || { apt_install python3 && have_python; }
}

have_python() {
  command -v python3 >/dev/null || { why="no python3 was found"; return 1; }
}

# need_curl_jq: for the commands of the first steps, which a test runs.
need_curl_jq() {
  have_curl_jq || { apt_install curl jq && have_curl_jq; }
}

have_curl_jq() {
  { command -v curl && command -v jq; } >/dev/null || { why="no curl or no jq was found"; return 1; }
}

# apt_install PACKAGE...: installs packages, where this user may.
apt_install() {
  local as=() log
  if [[ -n ${NO_INSTALL:-} ]]; then
    why+=", and NO_INSTALL is set"
    return 1
  fi
  if ! command -v apt-get >/dev/null; then
    why+=", and there is no apt-get here to install $* with"
    return 1
  fi
  if [[ $EUID -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      why+=", and installing $* takes root or sudo without a password"
      return 1
    fi
    as=(sudo -n)
  fi
  as+=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q
    -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=30)

  echo "installing $*"
  log=$(mktemp)
  # The package lists of a fresh machine are empty or old: fetch them when the
  # first attempt shows that.
  if "${as[@]}" install --no-install-recommends "$@" >"$log" 2>&1 ||
    { "${as[@]}" update && "${as[@]}" install --no-install-recommends "$@"; } >>"$log" 2>&1; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -f "$log"
  why+=", and apt-get could not install $*"
  return 1
}
