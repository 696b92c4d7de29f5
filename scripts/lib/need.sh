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

# have_cc: is there a C compiler with its library, as cgo would use it?
have_cc() {
  local cc
  read -ra cc <<<"$(go env CC)"
  echo '#include <stdlib.h>' | "${cc[@]}" -x c -fsyntax-only - 2>/dev/null ||
    { why="no C compiler was found"; return 1; }
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

# s3_program: prints where the S3 server is, or will be once it is built.
s3_program() {
  local root version
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  version=$(sed -n 's|^.*github.com/versity/versitygw \(v[^ ]*\).*$|\1|p' "$root/tools/go.mod")
  echo "$root/.cache/versitygw-$version"
}

# build_s3: builds the S3 server, which takes minutes, once for each version.
build_s3() {
  local program log
  program=$(s3_program)
  if [[ -n ${NO_INSTALL:-} ]]; then
    why="no S3 server was built, and NO_INSTALL is set"
    return 1
  fi
  echo "building the S3 server for the tests: this takes a few minutes, once"
  mkdir -p "$(dirname "$program")"
  log=$(mktemp)
  # It gets its name only when it is whole.
  if (cd "$(dirname "$program")/../tools" && CGO_ENABLED=0 go build -trimpath -o "$program.$$" github.com/versity/versitygw/cmd/versitygw) >"$log" 2>&1 &&
    mv "$program.$$" "$program"; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -f "$log" "$program.$$"
  why="the S3 server could not be built"
  return 1
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
