#!/usr/bin/env bash
# Builds the page and tests it in Chromium: test.sh [SCREENSHOTS]
# Where WebAssembly, Chromium or Python cannot be had it says so and passes: the Rust tests do not need them.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() { echo "the page was not tested: $*"; exit 0; }

command -v python3 >/dev/null || skip "there is no Python"
if ! command -v chromedriver >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  timeout 10m apt-get install -y --no-install-recommends chromium chromium-driver >/tmp/chromium.log 2>&1 || true
fi
command -v chromedriver >/dev/null || skip "there is no chromedriver (Debian: chromium-driver)"

target=${CARGO_TARGET_DIR:-target}
status=0
crates/burn-nca-web/build.sh --make-toolchain "$target/web" || status=$?
[ "$status" = 3 ] && skip "this Rust has no target wasm32-unknown-unknown, and none could be made"
[ "$status" = 0 ] || exit "$status"
python3 crates/burn-nca-web/tests/browser.py "$target/web" "$target/debug/nca" "${1:-$target/web-screenshots}"
