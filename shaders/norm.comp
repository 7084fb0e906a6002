// Normalises each of `groups` equal parts of a row by itself, KIND as in op.h:
//   kRms:   y = x / sqrt(mean(x^2) + eps) * g                   g: GAIN             OpCode::RmsNorm
//   kMean:  y = (x - mean) / sqrt(variance + eps) * g [+ b]     g, b: a row long    OpCode::LayerNorm, GroupNorm
//   kL2:    z = x * g, y = z / max(|z|, eps)                    g: a row long       OpCode::L2Norm
//
// Bindings: 0 x [rows, padded(groups * size)]; 1 g; 2 b; 3 y, shaped like x. A workgroup takes a part (x) of
// a row (y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
const uint kRms = 0, kMean = 1, kL2 = 2;
layout(constant_id = 1) const uint KIND = kRms;
layout(constant_id = 2) const bool HAS_BIAS = false;
const uint kNoGain = 0, kPartGain = 1, kRowGain = 2;
layout(constant_id = 3) const uint GAIN = kPartGain;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer G { float g[]; };
layout(binding = 2) readonly buffer B { float b[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint size; float eps; };

#include "workgroup_sum.glsl"

void main() {
    const uint channel = gl_WorkGroupID.x * size;
    const uint first = gl_WorkGroupID.y * ((gl_NumWorkGroups.x * size + 3) & ~3u) + channel;
    const uint step = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationID.x;
    float mean = 0;
    if (KIND == kMean) {
        for (uint i = lane; i < size; i += step) mean += x[first + i];
        mean = workgroupSum(mean) / float(size);
    }
    float squares = 0;
    for (uint i = lane; i < size; i += step) {
        const float z = KIND == kL2 ? x[first + i] * g[channel + i] : x[first + i] - mean;
        squares += z * z;
    }
    squares = workgroupSum(squares);
    const float inverse = KIND == kL2 ? 1 / max(sqrt(squares), eps) : 1 / sqrt(squares / float(size) + eps);
    for (uint i = lane; i < size; i += step) {
        const float gain = GAIN == kNoGain ? 1 : g[GAIN == kPartGain ? i : channel + i];
        const float value = (x[first + i] - mean) * inverse * gain;
        y[first + i] = HAS_BIAS ? value + b[channel + i] : value;
    }
}
