#include "engine/quant/format.h"

#include <algorithm>
#include <limits>

namespace ingle::quant {
namespace {

template <typename Predicate>
const QuantFormat* findWhere(Predicate matches) {
    const auto formats = allFormats();
    const auto it = std::ranges::find_if(formats, [&](const QuantFormat* f) { return matches(*f); });
    return it == formats.end() ? nullptr : *it;
}

}  // namespace

const QuantFormat* findFormat(Quant id) {
    return findWhere([id](const QuantFormat& f) { return f.id == id; });
}

const QuantFormat* findFormat(std::string_view name) {
    return findWhere([name](const QuantFormat& f) { return f.name == name; });
}

Result<size_t> rowBytes(const QuantFormat& format, uint64_t elems) {
    constexpr uint64_t kMaxSize = std::numeric_limits<int64_t>::max();
    if (elems == 0 || elems % format.blockElems != 0)
        return fail(ErrorCode::Corrupt, "a row of {} values is not a whole number of {} blocks of {}", elems,
                    format.name, format.blockElems);
    if (elems > kMaxSize || elems / format.blockElems > kMaxSize / format.blockBytes)
        return fail(ErrorCode::Corrupt, "a row of {} values is too long", elems);
    return elems / format.blockElems * format.blockBytes;
}

}  // namespace ingle::quant
