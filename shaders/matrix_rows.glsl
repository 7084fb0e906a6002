// Cooperative matrices of attention: queries and weights are left factors, keys and values right ones. And where an
// invocation has the elements of sums, as matrix_layout.comp finds it at load: it has those of ROWS rows; element j
// is of its row (j >> SHIFT) % ROWS; invocations that share a row differ in the bits of XORS. The including shader
// declares `staged`: that no such rule holds, and what passes from sums to left factors goes through shared memory.
layout(constant_id = 7) const uint M = 16;
layout(constant_id = 8) const uint N = 16;
layout(constant_id = 9) const uint K = 16;
layout(constant_id = 10) const uint SUBGROUP = 32;
layout(constant_id = 11) const uint ROWS = 2;
layout(constant_id = 12) const uint SHIFT = 1;
layout(constant_id = 13) const uint XORS = 3;

#define Left fcoopmatNV<16, gl_ScopeSubgroup, M, K>
#define Right fcoopmatNV<16, gl_ScopeSubgroup, K, N>
#define Sums fcoopmatNV<32, gl_ScopeSubgroup, M, N>

const uint kElements = M * N / SUBGROUP;  // of sums, in an invocation
const uint kLaneBits = 7;  // of an invocation's number in its subgroup
const float kHidden = -1e30;    // the score of a key that is not seen
const float kNothing = -1e29;   // the largest score where none is seen: more than kHidden

#define rowOf(j) (((j) >> SHIFT) % ROWS)

float rowMax(float value) {
    [[unroll]] for (uint bit = 0; bit < kLaneBits; ++bit)
        if ((XORS >> bit & 1) != 0) value = max(value, subgroupShuffleXor(value, 1u << bit));
    return value;
}
float rowSum(float value) {
    [[unroll]] for (uint bit = 0; bit < kLaneBits; ++bit)
        if ((XORS >> bit & 1) != 0) value += subgroupShuffleXor(value, 1u << bit);
    return value;
}
