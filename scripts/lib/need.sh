# What the scripts need from the machine, beyond Go.
# shellcheck shell=bash
#
# A need is one function, need_THING. It succeeds when THING is there, or could
# be installed; otherwise it fails with the reason in $why. It never touches the
# network when THING is already there. A new need is a new function here, and a
# line in scripts/test or scripts/check saying what is left out without it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
why=""
declare -A have=() # what want found
left_out=()

# want NAME WHAT NEED...: sets have[NAME] when NEED succeeds, and otherwise notes that WHAT
# is not tested.
# shellcheck disable=SC2034 # the scripts read have
want() {
  if "${@:3}"; then have[$1]=yes; else left_out+=("$2: $why"); fi
}

# may_leave_out: fails when something is left out and nothing may be.
may_leave_out() {
  [[ ${CI:-} != true || ${#left_out[@]} -eq 0 ]] || { echo "CI=true: nothing may be left out" >&2; return 1; }
}

# report_left_out: lists what was left out.
report_left_out() {
  [[ ${#left_out[@]} -gt 0 ]] || return 0
  { printf '\nLEFT OUT of this run:\n'; printf -- '- %s.\n' "${left_out[@]}"; } >&2
}

need_cc() { have_cc || { apt_install gcc libc6-dev && have_cc; }; }

# have_cc: is there a C compiler with its library, as cgo would use it?
have_cc() {
  local cc
  read -ra cc <<<"$(go env CC)"
  echo '#include <stdlib.h>' | "${cc[@]}" -x c -fsyntax-only - 2>/dev/null || { why="no C compiler was found"; return 1; }
}

# need_programs PACKAGES PROGRAM...: programs that packages of Debian bring.
need_programs() { have_programs "${@:2}" || { apt_install "$1" && have_programs "${@:2}"; }; }

have_programs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || { why="no $program was found"; return 1; }
  done
}

need_postgres() {
  [[ -n ${ATELIER_TEST_POSTGRES_URL:-} ]] || postgres_bin >/dev/null || { apt_install postgresql && postgres_bin >/dev/null; }
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

need_s3() { [[ -n ${ATELIER_TEST_S3_URL:-} ]] || make_once "$(s3_program)" "the S3 server of the tests" build_s3; }
s3_program() { cached s3 "$root"/tools/go.mod "$root"/tools/s3/*.go; }
build_s3() { CGO_ENABLED=0 go -C "$root/tools" build -o "$1" ./s3; }

staticcheck_version=v0.8.2
need_staticcheck() { need_go_program staticcheck honnef.co/go/tools/cmd/staticcheck "$staticcheck_version"; }
staticcheck_program() { go_program staticcheck "$staticcheck_version"; }

# need_go_program NAME PACKAGE VERSION: a program that is built from a Go module.
need_go_program() { make_once "$(go_program "$1" "$3")" "$1" install_go_program "$2@$3"; }
# It is one for each Go: staticcheck must know the language of the Go that is used.
go_program() { echo "$root/.cache/$1-$2-$(go env GOVERSION)"; }
install_go_program() { GOBIN=$2.bin CGO_ENABLED=0 go install "$1" && mv "$2.bin"/* "$2" && rmdir "$2.bin"; }

# need_node [VERSION]: a Node.js that the SDKs run on, with its npm; at least the major VERSION.
need_node() {
  local version least=${1:-18}
  need_programs "nodejs npm" node npm || return
  version=$(node --version)
  version=${version#v}
  [[ ${version%%.*} -ge $least ]] || { why="Node.js $version was found, and $least is needed"; return 1; }
}

need_js_sdks() {
  need_node && make_once "$(js_sdks)" "the SDKs for JavaScript" npm_install "$root/compat/js" &&
    link_packages "$(js_sdks)" "$root/compat/js"
}
js_sdks() { cached compat-js "$root/compat/js/package-lock.json"; }

# need_js_client: what compiles the client for JavaScript, and a Node.js that it runs on.
need_js_client() {
  need_node 20 && make_once "$(js_client)" "the compiler of the client for JavaScript" npm_install "$root/clients/js" &&
    link_packages "$(js_client)" "$root/clients/js"
}
js_client() { cached clients-js "$root/clients/js/package-lock.json"; }

# need_openapi_linters: Redocly and Spectral.
need_openapi_linters() {
  need_node 20 && need_programs "curl jq" curl jq && make_once "$(openapi_linters)" "the linters of the OpenAPI document" npm_install "$root/tools/openapi" &&
    link_packages "$(openapi_linters)" "$root/tools/openapi"
}
openapi_linters() { cached tools-openapi "$root/tools/openapi/package-lock.json"; }

# need_site: what makes the documentation a site.
need_site() {
  need_node 20 && make_once "$(site_packages)" "the packages of the documentation site" npm_install "$root/site" &&
    link_packages "$(site_packages)" "$root/site"
}
site_packages() { cached site "$root/site/package-lock.json"; }

# link_packages PLACE DIR: gives DIR the packages of npm at PLACE in the cache. Node.js looks for them beside the
# files that import them.
link_packages() {
  local link=$2/node_modules up=.. # from DIR to the root
  [[ $2 != "$root"/*/* ]] || up=../..
  [[ -L $link ]] || rm -rf "$link"
  ln -sfn "$up/.cache/$(basename "$1")/node_modules" "$link"
}

# need_python_client: a Python with what the client for Python and its tests need.
need_python_client() { python_client >/dev/null || { apt_install python3-httpx python3-pytest mypy && python_client >/dev/null; }; }

# python_client: prints that Python: the first one in PATH, or that of Debian, which has Debian's packages.
python_client() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import sys, httpx, mypy, pytest; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  why="no Python 3.11 with httpx, pytest and mypy was found"
  return 1
}

# need_console_types: the compiler and the libraries that check the types of the console.
need_console_types() { need_node && make_once "$(console_types)" "the types of the console's libraries" npm_install "$root/console/third_party"; }
console_types() { cached console-types "$root/console/third_party/package.json"; }

# npm_install FROM TO: installs into TO the packages that FROM names, exactly as its lock file says if it has one.
npm_install() {
  local how=install
  [[ ! -e $1/package-lock.json ]] || how=ci
  mkdir -p "$2" && cp "$1"/package*.json "$2" &&
    (cd "$2" && npm "$how" --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000)
}

# need_go_sdk: everything that compat/go imports.
need_go_sdk() { GOPROXY=off have_go_sdk || { may_install "openai-go" && have_go_sdk; }; }
have_go_sdk() {
  (cd "$root/compat/go" && go list -deps -test ./... >/dev/null 2>&1) || { why="openai-go could not be fetched"; return 1; }
}

# cached NAME FILE...: prints the place in the cache of what is made from the files: one for each state of them.
cached() {
  local sum
  sum=$(cat "${@:2}" | sha256sum)
  echo "$root/.cache/$1-${sum:0:16}"
}

# make_once PLACE WHAT CMD...: makes WHAT at PLACE, unless it is there. CMD gets one more argument, the place
# to make it at: it gets its name only when it is whole.
make_once() {
  local place=$1 what=$2 log
  [[ ! -e $place ]] || return 0
  may_install "$what" || return
  echo "fetching or building $what, once"
  mkdir -p "$(dirname "$place")"
  log=$(mktemp)
  if "${@:3}" "$place.$$" >"$log" 2>&1 && mv "$place.$$" "$place"; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -rf "$log" "$place.$$"
  why="$what could not be fetched or built"
  return 1
}

may_install() { [[ -z ${NO_INSTALL:-} ]] || { why="NO_INSTALL forbids to fetch or build $1"; return 1; }; }

# apt_install PACKAGE...: installs packages, where this user may.
apt_install() {
  local as=() log names
  read -ra names <<<"$*"
  [[ -z ${NO_INSTALL:-} ]] || { why+=", and NO_INSTALL is set"; return 1; }
  command -v apt-get >/dev/null || { why+=", and there is no apt-get here to install $* with"; return 1; }
  if [[ $EUID -ne 0 ]]; then
    sudo -n true 2>/dev/null || { why+=", and installing $* takes root or sudo without a password"; return 1; }
    as=(sudo -n)
  fi
  as+=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q
    -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=30)

  echo "installing $*"
  log=$(mktemp)
  # The package lists of a fresh machine are empty or old: fetch them when the
  # first attempt shows that.
  if "${as[@]}" install --no-install-recommends "${names[@]}" >"$log" 2>&1 ||
    { "${as[@]}" update && "${as[@]}" install --no-install-recommends "${names[@]}"; } >>"$log" 2>&1; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -f "$log"
  why+=", and apt-get could not install $*"
  return 1
}
