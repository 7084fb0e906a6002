#!/usr/bin/env bash
# tidy.sh TREE changed|all
# clang-tidy on the engine and the programs. The window is left to qmllint and the compiler's own warnings (Qt's headers
# make clang-tidy 14 take minutes), and so are the tests. `changed`: the files that a branch changes, or the last day of
# main; at most MOST, those with most changed lines. `./dev soak tidy` reads all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$1 which=$2
MOST=20
folders='^(engine|app/(protocol|client|library|history|storage|content|sandbox|brokers|crash|documents|exchange|local|sse|bridge|serve|cli))/'

changed() {
    local base
    base=$(git merge-base HEAD origin/main 2>/dev/null || true)
    if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
        base=$(git rev-list -1 --before='1 day ago' HEAD)
    fi
    [ -n "$base" ] || base=$(git rev-list --max-parents=0 HEAD | tail -n 1)
    git diff --numstat --diff-filter=d "$base" -- '*.cpp' | sort -rn | cut -f 3 | { grep -E "$folders" || true; }
}

if [ "$which" = changed ]; then
    mapfile -t files < <(changed)
    echo "clang-tidy: $((${#files[@]} < MOST ? ${#files[@]} : MOST)) of ${#files[@]} changed files"
    files=("${files[@]:0:MOST}")
else
    mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.cpp' | grep -E "$folders")
fi
[ ${#files[@]} = 0 ] && exit
# File by file and without precompiled headers: a file that leans on another's includes is found out.
commands=$tree/tidy
cmake -S . -B "$commands" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DINGLE_BUILD_DESKTOP=OFF -DINGLE_BUILD_TESTS=OFF >/dev/null
printf '%s\n' "${files[@]}" |
    xargs -P "$(nproc)" -n 2 clang-tidy --quiet -p "$commands" --extra-arg=-Wno-unknown-warning-option 2>&1 |
    { grep -v ' warnings generated\.$' || true; }
