// Where invocations have the elements of sums (matrix_rows.glsl), and whether left factors lie alike: for each
// invocation the numbers of its elements, which count row by row; then the product of those very elements, put into a
// left factor, and the identity, which is all numbers in order where they do. By one subgroup.
//
// Bindings: 0 {[SUBGROUP, M * N / SUBGROUP] numbers, [M, N] product}.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_NV_cooperative_matrix : require  // what glslang 12 has; see substrate/cooperative_matrix.h
#pragma use_vulkan_memory_model
layout(local_size_x_id = 0) in;
#include "matrix_rows.glsl"

layout(binding = 0) writeonly buffer Found { uint found[]; };
shared float numbers[M * N];
shared float16_t identity[K * N];

void main() {
    const uint lane = gl_SubgroupInvocationID;
    for (uint i = lane; i < M * N; i += SUBGROUP) numbers[i] = float(i);
    for (uint i = lane; i < K * N; i += SUBGROUP) identity[i] = float16_t(i / N == i % N ? 1 : 0);
    barrier();
    Sums sums;
    Right right;
    coopMatLoadNV(sums, numbers, 0, N, false);
    coopMatLoadNV(right, identity, 0, N, false);
    Left left = Left(-1.0);
    [[unroll]] for (uint j = 0; j < kElements; ++j) {
        left[j] = float16_t(sums[j]);
        found[lane * kElements + j] = uint(sums[j]);
    }
    barrier();
    coopMatStoreNV(coopMatMulAddNV(left, right, Sums(0.0)), numbers, 0, N, false);
    barrier();
    for (uint i = lane; i < M * N; i += SUBGROUP) found[M * N + i] = uint(max(numbers[i], 0));
}
