// Writes rows in RowForm::Bytes, see row_bytes.glsl. The including shader declares INVOCATIONS, which is a multiple of
// 4, and BYTES_BINDING.
#include "row_bytes.glsl"

layout(binding = BYTES_BINDING) writeonly buffer Bytes { uvec2 bytes[]; };

// Of eight values each. Not finite: infinite.
shared float largestOfEight[INVOCATIONS];
shared int totalOfEight[INVOCATIONS];

uint packBytes(ivec4 v) {
    const uvec4 u = uvec4(v) & 255;
    return u.x | u.y << 8 | u.z << 16 | u.w << 24;
}

// All invocations of the workgroup call it, with values 8 * eighth … 8 * eighth + 7 of a row of `groups` groups, where
// four invocations that follow each other have those of a group; what is not of the row is 0, and not written. Between
// two calls they pass a barrier.
void storeBytes(uint row, uint groups, uint eighth, vec4 low, vec4 high) {
    const uint lane = gl_LocalInvocationID.x, firstLane = lane & ~3u;
    const vec4 most = max(abs(low), abs(high)), all = abs(low) + abs(high);
    const bool finite = all.x + all.y + all.z + all.w < 1.0 / 0.0;
    largestOfEight[lane] = finite ? max(max(most.x, most.y), max(most.z, most.w)) : 1.0 / 0.0;
    barrier();
    float largest = 0;
    [[unroll]] for (uint i = 0; i < 4; ++i) largest = max(largest, largestOfEight[firstLane + i]);
    const float inverse = largest > 0 ? 127 / largest : 0;
    const ivec4 l = ivec4(roundEven(low * inverse)), h = ivec4(roundEven(high * inverse));
    totalOfEight[lane] = l.x + l.y + l.z + l.w + h.x + h.y + h.z + h.w;
    barrier();
    if (eighth >= 4 * groups) return;
    const uint first = 2 * row * byteRowVectors(groups);
    bytes[first + eighth] = uvec2(packBytes(l), packBytes(h));
    if (lane != firstLane) return;
    const vec2 totals =
        vec2(totalOfEight[lane] + totalOfEight[lane + 1], totalOfEight[lane + 2] + totalOfEight[lane + 3]);
    // What is no number must not become one.
    const float scale = largest < 1.0 / 0.0 ? largest / 127 : 0.0 / 0.0;
    bytes[first + 4 * groups + eighth / 4] = uvec2(floatBitsToUint(scale), packHalf2x16(totals));
}
