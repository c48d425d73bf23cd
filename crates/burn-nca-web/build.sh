#!/usr/bin/env bash
# Builds the page as one static folder: build.sh [FOLDER]   (default: target/web)
#
# Needs the Rust target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`). Where it cannot be had,
# `build.sh --make-toolchain [FOLDER]` makes one on a Debian machine, as root: a tree of Debian unstable with its own
# Rust, in $BURN_NCA_WASM_ROOT (default /opt/burn-nca-wasm). Without either it says so and exits with 3; a page that
# weighs too much is written, and the exit code is 4.
set -euo pipefail
cd "$(dirname "$0")/../.."

make=false
if [ "${1:-}" = --make-toolchain ]; then make=true; shift; fi
out=${1:-target/web}
root=${BURN_NCA_WASM_ROOT:-/opt/burn-nca-wasm}
version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/"/, "", $3); print $3 }' Cargo.lock)
export RUSTFLAGS='--cfg getrandom_backend="wasm_js" -C target-feature=+simd128'
build=(cargo build --profile web --target wasm32-unknown-unknown -p burn-nca-web --locked)

without_toolchain() { echo "build.sh: $*" >&2; exit 3; }

make_toolchain() {
  [ "$(id -u)" = 0 ] || without_toolchain "--make-toolchain needs root"
  command -v debootstrap >/dev/null || timeout 5m apt-get install -y --no-install-recommends debootstrap >/dev/null ||
    without_toolchain "debootstrap cannot be installed"
  [ ! -x "$root/usr/bin/rustc" ] || return 0
  local mirror part=$root.part
  mirror=$(sed -n 's/^URIs: *//p; s/^deb \(http[^ ]*\).*/\1/p' /etc/apt/sources.list.d/* /etc/apt/sources.list 2>/dev/null | head -1 || true)
  [ -n "$mirror" ] || without_toolchain "the machine's list of package sources names no mirror"
  # Made next to its place and renamed at the end: a tree that was begun and not ended is never taken for a whole one.
  rm -rf --one-file-system "$part"
  timeout 10m debootstrap --variant=minbase --include=ca-certificates sid "$part" "$mirror" \
    >"$root.log" 2>&1 || without_toolchain "no tree of Debian unstable could be made (log: $root.log)"
  cp /etc/apt/apt.conf.d/* "$part/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp /etc/ssl/certs/ca-certificates.crt "$part/etc/ssl/certs/ca-certificates.crt"
  timeout 10m chroot "$part" apt-get install -y --no-install-recommends rustc cargo libstd-rust-dev-wasm32 lld gcc libc6-dev \
    >>"$root.log" 2>&1 || without_toolchain "its Rust could not be installed (log: $root.log)"
  # debootstrap leaves /proc mounted where it could.
  umount "$part/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
  mv "$part" "$root"
}

# Runs the build in the Debian tree, on this checkout and this cargo registry. The mounts are in a namespace of their
# own and end with it, however the build ends: one left behind by a killed build would give the next one the checkout
# of the first, or a folder that is gone. What an older script left is taken off first.
in_tree() {
  mkdir -p "$root/source" "$root/cargo" "$root/target"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  unshare --mount --propagation private true || without_toolchain "this machine lets no process have mounts of its own"
  local status=0
  root=$root source=$(pwd) registry=${CARGO_HOME:-$HOME/.cargo} build="${build[*]}" \
    unshare --mount --propagation private bash -euo pipefail -c '
      for place in source cargo dev proc; do
        while umount --lazy "$root/$place" 2>/dev/null; do :; done
      done
      {
        mount --bind "$source" "$root/source" && mount --bind "$registry" "$root/cargo" &&
          mount --bind /dev "$root/dev" && mount -t proc proc "$root/proc"
      } || exit 3
      chroot "$root" env CARGO_HOME=/cargo HOME=/root CARGO_TARGET_DIR=/target RUSTFLAGS="$RUSTFLAGS" \
        SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt CARGO_HTTP_CAINFO=/etc/ssl/certs/ca-certificates.crt \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=/usr/bin/wasm-ld \
        sh -c "cd /source && $build"
    ' || status=$?
  [ "$status" != 3 ] || without_toolchain "this machine does not let a folder be bound into $root"
  [ "$status" = 0 ] || exit "$status"
  wasm=$root/target/wasm32-unknown-unknown/web/burn_nca_web.wasm
}

tools=${CARGO_TARGET_DIR:-target}/wasm-tools
make_tool() {
  "$tools/bin/wasm-bindgen" --version 2>/dev/null | grep -qF "$version" ||
    RUSTFLAGS='' CARGO_PROFILE_RELEASE_OPT_LEVEL=1 cargo install wasm-bindgen-cli --quiet --version "$version" \
      --no-default-features --root "$tools"
}

if [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib" ]; then
  make_tool & tool=$!
  "${build[@]}"
  wasm=${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/web/burn_nca_web.wasm
elif $make || [ -x "$root/usr/bin/rustc" ]; then
  make_toolchain
  make_tool & tool=$!
  in_tree
else
  without_toolchain "this Rust has no target wasm32-unknown-unknown; run 'rustup target add wasm32-unknown-unknown'," \
    "or build.sh --make-toolchain"
fi

wait "$tool" || { echo "build.sh: wasm-bindgen $version could not be built" >&2; exit 1; }
mkdir -p "$out"
"$tools/bin/wasm-bindgen" --target web --no-typescript --remove-name-section --out-dir "$out" "$wasm"
cp crates/burn-nca-web/page/* "$out"
# What a browser downloads where the server compresses.
most=1750000
bytes=$(for file in "$out"/*; do gzip -9c "$file" | wc -c; done | awk '{ sum += $1 } END { print sum }')
printf '%s: %s bytes gzipped, of which WebAssembly %s\n' "$out" "$bytes" "$(gzip -9c "$out/burn_nca_web_bg.wasm" | wc -c)"
[ "$bytes" -le "$most" ] || {
  echo "build.sh: $out is whole, and more than the $most bytes that the page is to have; see what weighs by the names in $wasm" >&2
  exit 4
}
