#!/usr/bin/env bash
# tidy.sh TREE [LINES]
# clang-tidy on what has something to find in it: the engine and the programs. Left out are the window, which is left to qmllint and the
# compiler's own warnings (Qt's headers make clang-tidy 14 take minutes), the tests, and files of under 150 lines: eight in ten of the rest and
# half of its code, rows of tables and forwarders mostly, while the time goes into headers. `./dev soak tidy` (LINES 1) reads those, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$1 lines=${2:-150}
# File by file and without precompiled headers: a file that leans on another's includes is found out.
commands=$tree/tidy
cmake -S . -B "$commands" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DINGLE_BUILD_DESKTOP=OFF -DINGLE_BUILD_TESTS=OFF >/dev/null
git ls-files --cached --others --exclude-standard -- '*.cpp' | grep -E '^(engine|app/(protocol|client|library|history|storage|content|sandbox|crash|documents|exchange|local|sse|bridge|serve|cli))/' |
    xargs awk -v lines="$lines" 'FNR == lines { print FILENAME }' |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$commands" --extra-arg=-Wno-unknown-warning-option 2>&1 |
    { grep -v ' warnings generated\.$' || true; }
