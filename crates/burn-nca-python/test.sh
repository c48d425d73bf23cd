#!/usr/bin/env bash
# Builds the wheel and tests it in a virtual environment: scikit-learn's own checks and ours.
#   test.sh [pytest arguments]
# Without Python 3.11 or a package index it says so and passes: the Rust tests do not need it.
set -euo pipefail
cd "$(dirname "$0")"

skip() { echo "the Python package was not tested: $*"; exit 0; }

python=${PYTHON:-python3}
"$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  skip "there is no Python 3.11 or newer with venv (PYTHON names another)"

target=${CARGO_TARGET_DIR:-$(realpath ../..)/target}/python
mkdir -p "$target"
environment=$target/venv
wanted=$(cat requirements-test.txt; "$python" --version)
if [ "$(cat "$environment/made-of" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$environment"
  "$python" -m venv "$environment"
  timeout 15m "$environment/bin/pip" install --quiet -r requirements-test.txt >"$target/pip.log" 2>&1 ||
    skip "no package index answers, or it lacks a version of requirements-test.txt (log: $target/pip.log)"
  echo "$wanted" >"$environment/made-of"
fi

rm -rf "$target/wheels"
# In the profile and the folder of the other tests, which have built nearly all of it.
PYO3_PYTHON=$(realpath "$environment/bin/python") \
  "$environment/bin/maturin" build --quiet --profile dev --out "$target/wheels"
"$environment/bin/pip" install --quiet --no-deps --no-index --force-reinstall "$target"/wheels/*.whl
"$environment/bin/python" -X faulthandler -m pytest -q --doctest-modules --pyargs burn_nca tests "$@"
