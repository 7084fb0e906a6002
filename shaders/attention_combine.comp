// The splits of attention.comp made one: y = sum_s acc_s e^(max_s - max) / sum_s sum_s e^(max_s - max).
//
// Bindings: 0 splits [rows, heads, splits, headDim + 2]; 1 y [rows, padded(heads * headDim)]. A workgroup
// takes a head (x) of a row (y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Splits { float splits[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint headDim, numSplits; };

void main() {
    const uint head = gl_WorkGroupID.x;
    const uint row = gl_WorkGroupID.y;
    const uint size = headDim + 2;
    const uint first = (row * gl_NumWorkGroups.x + head) * numSplits * size;
    float largest = -3.4e38;
    for (uint s = 0; s < numSplits; ++s) largest = max(largest, splits[first + s * size + headDim]);
    float total = 0;
    for (uint s = 0; s < numSplits; ++s)
        total += splits[first + s * size + headDim + 1] * exp(splits[first + s * size + headDim] - largest);
    for (uint d = gl_LocalInvocationID.x; d < headDim; d += gl_WorkGroupSize.x) {
        float sum = 0;
        for (uint s = 0; s < numSplits; ++s)
            sum += splits[first + s * size + d] * exp(splits[first + s * size + headDim] - largest);
        y[row * ((gl_NumWorkGroups.x * headDim + 3) & ~3u) + head * headDim + d] = sum / total;
    }
}
