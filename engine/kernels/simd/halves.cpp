// Between float32 and 16-bit halves.
#include "engine/kernels/simd/simd.h"

namespace ingle::kernels::INGLE_ISA::halves {
namespace {

void fromHalves(const std::byte* halves, float* y, size_t n) noexcept {
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) store(y + i, loadHalves(halves + 2 * i));
    if (i == n) return;
    std::byte rest[2 * kLanes] = {};
    __builtin_memcpy(rest, halves + 2 * i, 2 * (n - i));
    storeLanes(y + i, loadHalves(rest), 0, static_cast<uint32_t>(n - i));
}

void toHalves(const float* x, std::byte* halves, size_t n) noexcept {
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) storeHalves(halves + 2 * i, load(x + i));
    if (i == n) return;
    std::byte rest[2 * kLanes];
    storeHalves(rest, loadPart(x + i, static_cast<uint32_t>(n - i)));
    __builtin_memcpy(halves + 2 * i, rest, 2 * (n - i));
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::FromHalves, .isa = kIsa, .fn = {.fromHalves = fromHalves}},
    {.op = KernelOp::ToHalves, .isa = kIsa, .fn = {.toHalves = toHalves}},
};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::halves
