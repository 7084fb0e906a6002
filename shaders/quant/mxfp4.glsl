// MXFP4: value = 2^(E - 128) * the codebook's level. Plane 0: nibbles; plane 1: a byte E for 32 values. (Scales of
// 2^-127 and below are subnormal, which a device may take for zero.)
#include "levels.glsl"
#include "codebook.glsl"

// kLevels of engine/quant/formats/mxfp4.cpp, signed bytes.
const uvec4 kLevels = uvec4(0x03020100u, 0x0C080604u, 0xFDFEFF00u, 0xF4F8FAFCu);

struct Raw { uvec4 nibbles; uint e; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), byteAt(row, plane1, group));
}

Levels levelsOf(Raw raw, uint group) {
    const float scale = uintBitsToFloat(raw.e < 2 ? 0x00200000u << raw.e : raw.e - 1 << 23);
    uint q[8] = nibbles(raw.nibbles);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = lookUp(q[i], kLevels);
    return Levels(q, vec2(scale), vec2(0));
}
