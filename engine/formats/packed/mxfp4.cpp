/// MXFP4 as gpt-oss has its experts: "_blocks" of 16 bytes for 32 neighbours of a row, and "_scales", an
/// exponent for each. Source: transformers, src/transformers/integrations/mxfp4.py.
#include "engine/formats/checkpoint/mxfp4_weights.h"

namespace ingle::formats::mxfp4_packing {
namespace {

constexpr std::string_view kMethods[] = {"mxfp4"};
constexpr uint64_t kBlockBytes = 16;

Status unpackTensor(Checkpoint& checkpoint, const std::string& name) {
    INGLE_TRY_ASSIGN(const StoredTensor halves, takeTyped(checkpoint, name + "_blocks", {"U8"}, 4));
    INGLE_TRY_ASSIGN(const StoredTensor exponents, takeTyped(checkpoint, name + "_scales", {"U8"}, 3));
    std::vector<uint64_t> dims = exponents.dims;
    dims.push_back(kBlockBytes);
    if (dims != halves.dims)
        return fail(ErrorCode::Corrupt, "the blocks and scales of the MXFP4 weights '{}' do not fit",
                    shown(name));
    return enterMxfp4(checkpoint, name, halves, exponents);
}

Status unpack(Checkpoint& checkpoint, const Metadata&) {
    for (const std::string& name : modulesWith(checkpoint, "_blocks"))
        INGLE_TRY(unpackTensor(checkpoint, name));
    return {};
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::mxfp4_packing
