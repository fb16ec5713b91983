#!/usr/bin/env bash
# Whether what we depend on fits together, and has no fault that is publicly known. Fails if it has.
# Where the advisories cannot be reached it says so, and does not fail: that says nothing of the code.
set -uo pipefail
cd "$(dirname "$0")/.."

.venv/bin/python -m pip check --disable-pip-version-check || exit 1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! .venv/bin/python -m venv "$folder" >/dev/null ||
  ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 pip-audit 2>/dev/null; then
  echo "NOT AUDITED: pip-audit cannot be installed here" >&2
  exit 0
fi
found=$(timeout 300 "$folder/bin/pip-audit" --requirement requirements.lock --no-deps --disable-pip \
  --progress-spinner off --timeout 15 2>&1)
status=$?
if grep -q "known vulnerabilit.* in" <<<"$found" && [ $status -ne 0 ]; then
  echo "$found"
  exit 1
elif [ $status -ne 0 ] || grep -q "could not be audited" <<<"$found"; then
  echo "NOT AUDITED: the advisories cannot be reached from here" >&2
else
  echo "$found"
fi
