// The splits of attention.comp made one: y = sum_s acc_s e^(max_s - max) / sum_s sum_s e^(max_s - max), where a sink is
// one more score.
//
// Bindings: 0 splits, see attention_splits.glsl; 1 y [rows, padded(heads * VALUE_DIM)]; 2 sinks [heads]; 3 y in FORM,
// which wants heads of whole groups of 32 and rows of whole groups of 64 values. A workgroup takes a head (x) of a row
// (y): an invocation looks at a split; then invocation (slice, d) adds up a dimension, or several, of every slice-th
// split.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 256) in;
const uint INVOCATIONS = 256;
layout(constant_id = 1) const bool SINKS = false;
layout(constant_id = 2) const uint VALUE_DIM = 64;
layout(constant_id = 3) const uint FORM = 0;  // see row_form_store.glsl
layout(constant_id = 5) const uint SPLITS = 2;  // at most one for each invocation
#include "attention_splits.glsl"

layout(binding = 0) readonly buffer Splits { float splits[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) readonly buffer Sinks { float sinks[]; };  // [heads]
#define FORM_BINDING 3
#include "row_form_store.glsl"

const uint kWide = VALUE_DIM < 256 ? VALUE_DIM : 256;
const uint kSlices = 256 / kWide;

shared float parts[64];  // one per subgroup; the narrowest are 4 wide
shared float factors[SPLITS];
shared float slices[256];
shared vec4 outputs[FORM == kFloats ? 1 : VALUE_DIM / 4];

void main() {
    const uint head = gl_WorkGroupID.x, heads = gl_NumWorkGroups.x;
    const uint row = gl_WorkGroupID.y;
    const uint lane = gl_LocalInvocationID.x;
    // Rows that are only there to fill up have any number.
    const uint numUsed = min(uint(splits[splitsAt(row, heads, head)]), SPLITS);
    const bool has = lane < numUsed;
    const uint own = splitAt(row, heads, head, has ? lane : 0);
    const float ownMost = has ? splits[own + VALUE_DIM] : -3.4e38;
    const float most = subgroupMax(ownMost);
    if (subgroupElect()) parts[gl_SubgroupID] = most;
    barrier();
    float largest = SINKS ? sinks[head] : -3.4e38;
    for (uint s = 0; s < gl_NumSubgroups; ++s) largest = max(largest, parts[s]);
    const float factor = has ? exp(ownMost - largest) : 0;
    if (has) factors[lane] = factor;
    const float sum = subgroupAdd(has ? factor * splits[own + VALUE_DIM + 1] : 0);
    barrier();  // the largest ones have been read
    if (subgroupElect()) parts[gl_SubgroupID] = sum;
    barrier();
    float total = SINKS ? exp(sinks[head] - largest) : 0;
    for (uint s = 0; s < gl_NumSubgroups; ++s) total += parts[s];

    const uint slice = lane / kWide;
    const uint first = splitAt(row, heads, head, 0);
    const uint to = row * ((heads * VALUE_DIM + 3) & ~3u) + head * VALUE_DIM;
    for (uint d = lane % kWide; d < VALUE_DIM; d += kWide) {
        float value = 0;
        for (uint s = slice; slice < kSlices && s < numUsed; s += kSlices)
            value += factors[s] * splits[first + s * kSplitFloats + d];
        if (kSlices > 1) {  // then there is one turn
            slices[lane] = value;
            barrier();
            for (uint i = 1; slice == 0 && i < kSlices; ++i) value += slices[i * kWide + lane];
        }
        if (slice > 0) continue;
        y[to + d] = value / total;
        if (FORM != kFloats) outputs[d / 4][d % 4] = value / total;
    }
    if (FORM == kFloats) return;
    barrier();
    const bool isOurs = lane < VALUE_DIM / 8;
    storeForm(row, heads * VALUE_DIM, isOurs ? head * (VALUE_DIM / 8) + lane : ~0u,
              isOurs ? outputs[2 * lane] : vec4(0), isOurs ? outputs[2 * lane + 1] : vec4(0));
}
