// Reading the key/value cache, see cache.glsl.

// Four elements of a row from element `e` on; those past the head's end are others', or not there.
#if CACHE == 32
#define CACHED(cache, row, scaleWord, e) \
    uintBitsToFloat(uvec4(cache[row + e], cache[row + e + 1], cache[row + e + 2], cache[row + e + 3]))
#elif CACHE == 16
// Heads of an odd number of elements may begin inside a word.
vec4 fourHalves(uint a, uint b, uint c, uint e) {
    const vec4 low = vec4(unpackHalf2x16(a), unpackHalf2x16(b));
    return e % 2 == 0 ? low : vec4(low.yzw, unpackHalf2x16(c).x);
}
#define CACHED(cache, row, scaleWord, e) \
    fourHalves(cache[row + (e) / 2], cache[row + (e) / 2 + 1], (e) % 2 == 0 ? 0 : cache[row + (e) / 2 + 2], e)
#else
float scaled(uint word, uint scales, uint e) {
    return float(bitfieldExtract(int(word), int(e % 4) * 8, 8)) * unpackHalf2x16(scales)[e / 32 % 2];
}
#define CACHED1(cache, row, scaleWord, e) scaled(cache[row + (e) / 4], cache[row + scaleWord + (e) / 64], e)
#define CACHED(cache, row, scaleWord, e) \
    vec4(CACHED1(cache, row, scaleWord, e), CACHED1(cache, row, scaleWord, e + 1), \
         CACHED1(cache, row, scaleWord, e + 2), CACHED1(cache, row, scaleWord, e + 3))
#endif

// The elements only of a head of `dim`.
vec4 masked(uint vector, uint dim, vec4 value) {
    if (dim % 4 == 0) return value;
    const uint d = 4 * vector;
    return vec4(value.x, d + 1 < dim ? value.y : 0, d + 2 < dim ? value.z : 0, d + 3 < dim ? value.w : 0);
}
