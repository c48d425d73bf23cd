#!/usr/bin/env python3
"""The sizes of the crates as a Markdown table: benches/size.py [--default-members]

Lines of source and of tests (a module `mod tests` to the end of its file, files and folders named tests, and what Cargo builds as
tests), public names (items that are public where they are defined, and not hidden), test programs, and how many crates of others each needs
(normal dependencies with default features, as `cargo tree` resolves them).
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = re.compile(r"^pub (?:const |async |unsafe )*(?:fn|struct|enum|trait|type|const|static|mod|macro) ", re.M)
REEXPORT = re.compile(r"^pub use ([^;]+);", re.M)


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def lines(package):
    """Lines of source and of tests of a package."""
    folder = Path(package["manifest_path"]).parent
    source, tests = 0, 0
    for path in folder.rglob("*.rs"):
        if "target" in path.relative_to(folder).parts:
            continue
        text = path.read_text(encoding="utf-8")
        count = text.count("\n")
        parts = path.relative_to(folder).parts
        if parts[0] == "benches" or "tests" in parts or path.stem == "tests":
            tests += count
            continue
        at = text.find("#[cfg(test)]\nmod tests {")
        of_tests = text[at:].count("\n") if at >= 0 else 0
        source, tests = source + count - of_tests, tests + of_tests
    return source, tests


def names(package):
    """Names that the root of a library and its public modules give out: public items and re-exports that are not hidden."""
    library = next((target for target in package["targets"] if "lib" in target["kind"] or "cdylib" in target["kind"]), None)
    return 0 if library is None else of_module(Path(library["src_path"]), is_root=True)


def of_module(path, is_root=False):
    text = re.sub(r"#\[doc\(hidden\)\]\n(?:#\[[^\n]*\n)*pub [^;{]*[;{]", "", path.read_text(encoding="utf-8"))
    text = text.split("#[cfg(test)]\nmod tests {")[0]
    found = len(PUBLIC.findall(text))
    folder = path.parent if is_root or path.name == "mod.rs" else path.with_suffix("")

    def file(module):
        return next((p for p in (folder / f"{module}.rs", folder / module / "mod.rs") if p.exists()), None)

    public = set(re.findall(r"^pub mod (\w+);", text, re.M))
    for use in REEXPORT.findall(text):
        if use.endswith("::*"):
            # Of a private module what it gives out; what another crate gives out is counted there.
            module = use.removesuffix("::*")
            found += of_module(file(module)) if module not in public and file(module) else 0
            continue
        listed = use[use.index("{") + 1 : use.rindex("}")] if "{" in use else use
        found += len([name for name in listed.split(",") if name.strip()])
    for module in public:
        found += of_module(file(module)) if file(module) else 0
    return found


def needs(package):
    """How many other crates a package needs."""
    tree = cargo("tree", "--package", package["name"], "--edges", "normal", "--prefix", "none", "--locked", "--offline")
    return len({line.split(" (")[0].split(" [")[0] for line in tree.splitlines() if line.strip()}) - 1


def main():
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--no-deps", "--offline"))
    defaults = set(metadata["workspace_default_members"])
    packages = [package for package in metadata["packages"] if package["id"] in defaults or "--default-members" not in sys.argv]
    print("| crate | source | tests | public names | test programs | crates needed |\n|---|---|---|---|---|---|")
    total = [0, 0, 0]
    for package in sorted(packages, key=lambda package: package["name"]):
        source, tests = lines(package)
        programs = sum("test" in target["kind"] for target in package["targets"])
        total = [total[0] + source, total[1] + tests, total[2] + programs]
        print(f"| {package['name']} | {source:,} | {tests:,} | {names(package)} | {programs} | {needs(package)} |")
    print(f"| all | {total[0]:,} | {total[1]:,} | | {total[2]} | |")


if __name__ == "__main__":
    main()
