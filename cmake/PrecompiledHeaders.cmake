# What nearly every file includes, parsed once per kind of target instead of once per file: this halves a build from
# nothing. Only headers of others: one of this project that changed would not be read anew, for GCC takes the old
# precompiled header into the next one. Every file still includes what it uses: `./dev lint` and `./dev soak tidy` read
# them without these.
set(INGLE_COMMON_HEADERS
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
    <optional>     <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h> <tl/expected.hpp>)

# ingle_precompile(TARGET HEADER…): the common headers and those named.
function(ingle_precompile target)
    target_precompile_headers(${target} PRIVATE ${INGLE_COMMON_HEADERS} ${ARGN})
endfunction()
