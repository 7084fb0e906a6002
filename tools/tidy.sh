#!/usr/bin/env bash
# tidy.sh TREE [LINES]
# clang-tidy on what has something to find in it: the engine and the programs. Left out are the window, which is left to qmllint and the
# compiler's own warnings (Qt's headers make clang-tidy 14 take minutes), the tests, and files of under 150 lines: eight in ten of the rest and
# half of its code, rows of tables and forwarders mostly, while the time goes into headers. `./dev soak tidy` (LINES 1) reads those, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$1 lines=${2:-150}
# GCC's precompiled headers are nothing to clang, and without them a file that leans on one is found out.
commands=$tree/tidy
mkdir -p "$commands"
sed -E 's# -Winvalid-pch| -fpch-preprocess| -include [^ ]*cmake_pch\.hxx##g' "$tree/compile_commands.json" >"$commands/compile_commands.json"
git ls-files --cached --others --exclude-standard -- '*.cpp' | grep -E '^(engine|app/(protocol|client|library|history|storage|content|sandbox|crash|documents|exchange|local|bridge|serve|cli))/' |
    xargs awk -v lines="$lines" 'FNR == lines { print FILENAME }' |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$commands" --extra-arg=-Wno-unknown-warning-option 2>&1 |
    { grep -v ' warnings generated\.$' || true; }
