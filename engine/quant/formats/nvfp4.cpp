// NVFP4: layout and formula in nvfp4_block.h. Source: NVIDIA, "Pretraining Large Language Models with NVFP4"
// (2025), section 2; the layout is ggml's.
#include "engine/quant/format.h"
#include "engine/quant/grids/mxfp4.h"
#include "engine/quant/nvfp4_block.h"

namespace ingle::quant::nvfp4_format {
namespace {

void decodeBlock(const std::byte* block, float* y) {
    for (size_t e = 0; e < Nvfp4Block::kElems; ++e)
        y[e] = kMxfp4Levels[Nvfp4Block::nibble(block, e)] * Nvfp4Block::scale(block, e);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<Nvfp4Block::kElems, Nvfp4Block::kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kNVFP4,
                                .name = "NVFP4",
                                .blockElems = Nvfp4Block::kElems,
                                .blockBytes = Nvfp4Block::kBytes,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::nvfp4_format
