#!/usr/bin/env bash
# docs/input.md is what the program prints; scripts/make_docs.sh writes it anew.
source "$2/tests/cli/common.bash"

ok 1 check --reference
diff -u "$2/docs/input.md" out.txt >difference || {
    cat difference >&2
    fail "docs/input.md differs from wabe check --reference: run scripts/make_docs.sh"
}
finish
