#!/usr/bin/env bash
# Programs that tests start and pip cannot install: PostgreSQL's (servers on a database of their
# own) and Chromium (the page). What is missing is installed where apt-get may do so; elsewhere it
# is named, and the tests that need it are skipped, which pytest reports.
set -euo pipefail

has_postgresql() {
  command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

has_chromium() {
  [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    command -v google-chrome >/dev/null
}

missing=()
has_postgresql || missing+=(postgresql)
has_chromium || missing+=(chromium)
[ ${#missing[@]} -gt 0 ] || exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then root=(sudo -n); fi
if command -v apt-get >/dev/null && "${root[@]}" true 2>/dev/null; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  echo "installing for the tests: ${missing[*]}"
  if "${root[@]}" apt-get -q update >"$log" 2>&1 &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -q install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    exit 0
  fi
  tail -n 20 "$log" >&2
fi
echo "NOT HERE: ${missing[*]}. The tests that need them are skipped; install them with your package manager." >&2
