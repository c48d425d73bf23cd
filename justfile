# The commands of CONTRIBUTING.md. Each is short enough to type without `just`.

# Compiles everything that `cargo test` would, without running it.
check:
    cargo check --locked --all-targets

# Unit tests of one crate, and those alone whose names hold the filter. The program comes along so that Burn keeps its features.
test crate filter="":
    cargo test --locked -p burn-nca-cli -p {{crate}} --lib {{filter}}

# Tests of the program from outside.
program filter="":
    cargo test --locked --test nca {{filter}}

# What the gate runs.
gate:
    .ci/run

# What each crate would publish, and whether its metadata are complete; nothing is built.
package:
    cargo publish --workspace --dry-run --no-verify --allow-dirty --locked

# Hours of fuzzing from other seeds: `just fuzz 3600 7000`.
fuzz seconds first-seed="0":
    python3 benches/fuzz.py {{seconds}} --first-seed {{first-seed}}

# Licenses and advisories (cargo-deny), spelling (typos), Python (ruff).
lint:
    cargo clippy --locked --all-targets -- -D warnings
    cargo deny check
    typos
    ruff check
