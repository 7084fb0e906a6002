// How many products a device computes a second at most: of what is in registers, by units for matrices or by
// invocations one by one. Each invocation or subgroup has eight sums, which do not wait for each other.
//
// Bindings: 0 factors (zeros), 1 sums.
// variant: product_peak_halves -DUNITS
// variant: product_peak_floats
#version 450
#extension GL_EXT_control_flow_attributes : require
#ifdef UNITS
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require  // what glslang 12 has; see substrate/cooperative_matrix.h
#pragma use_vulkan_memory_model
#endif
layout(local_size_x_id = 0) in;
layout(constant_id = 7) const uint M = 16;
layout(constant_id = 8) const uint N = 16;
layout(constant_id = 9) const uint K = 16;
layout(push_constant) uniform Push { uint rounds; };
const uint kSums = 8;

#ifdef UNITS
layout(binding = 0) readonly buffer Factors { float16_t factors[]; };
layout(binding = 1) writeonly buffer Results { float results[]; };

void main() {
    fcoopmatNV<16, gl_ScopeSubgroup, M, K> left;
    fcoopmatNV<16, gl_ScopeSubgroup, K, N> right;
    coopMatLoadNV(left, factors, 0, K, false);
    coopMatLoadNV(right, factors, 0, N, false);
    fcoopmatNV<32, gl_ScopeSubgroup, M, N> sums[kSums];
    [[unroll]] for (uint i = 0; i < kSums; ++i) sums[i] = fcoopmatNV<32, gl_ScopeSubgroup, M, N>(float(i));
    for (uint round = 0; round < rounds; ++round)
        [[unroll]] for (uint i = 0; i < kSums; ++i) sums[i] = coopMatMulAddNV(left, right, sums[i]);
    [[unroll]] for (uint i = 0; i < kSums; ++i) coopMatStoreNV(sums[i], results, i * M * N, N, false);
}
#else
layout(binding = 0) readonly buffer Factors { vec4 factors[]; };
layout(binding = 1) writeonly buffer Results { vec4 results[]; };

void main() {
    const vec4 left = factors[0], right = factors[1];
    vec4 sums[kSums];
    [[unroll]] for (uint i = 0; i < kSums; ++i) sums[i] = vec4(i);
    for (uint round = 0; round < rounds; ++round)
        [[unroll]] for (uint i = 0; i < kSums; ++i) sums[i] = fma(left, sums[i], right);
    [[unroll]] for (uint i = 0; i < kSums; ++i) results[gl_LocalInvocationID.x * kSums + i] = sums[i];
}
#endif
