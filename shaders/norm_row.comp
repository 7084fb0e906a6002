// As norm.comp, of whole rows: kRms and kMean. A workgroup takes a row, which stays in registers. Rows that products
// read in a form of their own are written in that, too.
//
// Bindings: 0 x [rows, size]; 1 g; 2 b; 3 y, shaped like x; 4 y in FORM. `size` is a multiple of 4.
// OpCode::RmsNorm, LayerNorm
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint INVOCATIONS = 256;
const uint kRms = 0, kMean = 1;
layout(constant_id = 1) const uint KIND = kRms;
layout(constant_id = 2) const bool HAS_BIAS = false;
layout(constant_id = 3) const bool HAS_GAIN = true;
layout(constant_id = 4) const uint FORM = 0;  // see row_form_store.glsl
layout(constant_id = 5) const uint TURNS = 1;  // of eight values an invocation

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer G { vec4 g[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { uint size; float eps; };

#define FORM_BINDING 4
#include "row_form_store.glsl"
#include "workgroup_sum.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, lane = gl_LocalInvocationID.x, vectors = size / 4;
    vec4 v[2 * TURNS];
    vec4 total = vec4(0);
    [[unroll]] for (uint i = 0; i < 2 * TURNS; ++i) {
        const uint at = 2 * (i / 2 * INVOCATIONS + lane) + i % 2;
        v[i] = at < vectors ? x[row * vectors + at] : vec4(0);
        total += v[i];
    }
    const float mean = KIND == kMean ? workgroupSum(total.x + total.y + total.z + total.w) / float(size) : 0;
    float squares = 0;
    [[unroll]] for (uint i = 0; i < 2 * TURNS; ++i) {
        const uint at = 2 * (i / 2 * INVOCATIONS + lane) + i % 2;
        if (at < vectors) v[i] -= mean;
        squares += dot(v[i], v[i]);
    }
    const float inverse = 1 / sqrt(workgroupSum(squares) / float(size) + eps);
    [[unroll]] for (uint i = 0; i < 2 * TURNS; ++i) {
        const uint at = 2 * (i / 2 * INVOCATIONS + lane) + i % 2;
        if (at < vectors) {
            v[i] *= inverse;
            if (HAS_GAIN) v[i] *= g[at];
            if (HAS_BIAS) v[i] += b[at];
            y[row * vectors + at] = v[i];
        }
    }
    [[unroll]] for (uint i = 0; i < TURNS; ++i) {
        if (FORM == kBytes && i > 0) barrier();
        storeForm(row, size, i * INVOCATIONS + lane, v[2 * i], v[2 * i + 1]);
    }
}
