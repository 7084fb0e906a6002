// NVFP4: value = scale * the codebook's level. Plane 0: nibbles; plane 1: a byte of scale for 16 values.
#define TWO_SCALES
#include "levels.glsl"
#include "codebook.glsl"

// kMxfp4Levels of engine/quant/grids/mxfp4.h, signed bytes.
const uvec4 kLevels = uvec4(0x03020100u, 0x0C080604u, 0xFDFEFF00u, 0xF4F8FAFCu);

// Half of an E4M3 number: Nvfp4Block::scale() of engine/quant/nvfp4_block.h.
float scaleOf(uint bits) {
    const uint e = bits >> 3 & 15, m = bits & 7;
    return float(e > 0 ? 8 + m : m) * uintBitsToFloat(max(e, 1u) + 116 << 23);
}

struct Raw { uvec4 nibbles; uint scales; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), shortAt(row, plane1, group));
}

Levels levelsOf(Raw raw, uint group) {
    uint q[8] = nibbles(raw.nibbles);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = lookUp(q[i], kLevels);
    return Levels(q, vec2(scaleOf(raw.scales & 255), scaleOf(raw.scales >> 8)), vec2(0));
}
