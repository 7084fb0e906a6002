// The splits of attention.comp made one: y = sum_s acc_s e^(max_s - max) / sum_s sum_s e^(max_s - max), where a sink is
// one more score.
//
// Bindings: 0 splits [rows, heads, splits, valueDim + 2]; 1 y [rows, padded(heads * valueDim)]; 2 sinks [heads]. A
// workgroup takes a head (x) of a row (y).
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool SINKS = false;

layout(binding = 0) readonly buffer Splits { float splits[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) readonly buffer Sinks { float sinks[]; };
layout(push_constant) uniform Push { uint valueDim, numSplits; };

void main() {
    const uint head = gl_WorkGroupID.x;
    const uint row = gl_WorkGroupID.y;
    const uint size = valueDim + 2;
    const uint first = (row * gl_NumWorkGroups.x + head) * numSplits * size;
    float largest = SINKS ? sinks[head] : -3.4e38;
    for (uint s = 0; s < numSplits; ++s) largest = max(largest, splits[first + s * size + valueDim]);
    float total = SINKS ? exp(sinks[head] - largest) : 0;
    for (uint s = 0; s < numSplits; ++s)
        total += splits[first + s * size + valueDim + 1] * exp(splits[first + s * size + valueDim] - largest);
    for (uint d = gl_LocalInvocationID.x; d < valueDim; d += gl_WorkGroupSize.x) {
        float sum = 0;
        for (uint s = 0; s < numSplits; ++s)
            sum += splits[first + s * size + d] * exp(splits[first + s * size + valueDim] - largest);
        y[row * ((gl_NumWorkGroups.x * valueDim + 3) & ~3u) + head * valueDim + d] = sum / total;
    }
}
