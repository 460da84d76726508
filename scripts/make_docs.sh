#!/usr/bin/env bash
# scripts/make_docs.sh [wabe]: generates the pages under docs/ from the program's own output. Builds
# the program unless one is given.
set -euo pipefail

wabe=${1:+$(realpath "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
if [[ ! $wabe ]]; then
    install_packages "${packages[@]}"
    echo "Building (build/release)"
    build build/release wabe --preset release
    wabe=build/release/wabe
fi

mkdir -p docs
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"$wabe" check --reference >"$page"
cp "$page" docs/input.md
echo "docs/input.md"
