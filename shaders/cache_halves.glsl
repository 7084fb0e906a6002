// Reading the key/value cache eight elements at a time, as halves; see cache.glsl. Heads begin at multiples of eight.
// RAW is what is loaded, halvesOf(RAW) eight halves of it: loads may be under way while something else is computed.
layout(binding = 2) readonly buffer KeyVectors { uvec4 keyVectors[]; };
layout(binding = 3) readonly buffer ValueVectors { uvec4 valueVectors[]; };

const float kLargestHalf = 65504;

uvec4 packed(vec4 low, vec4 high) {
    low = clamp(low, -kLargestHalf, kLargestHalf);
    high = clamp(high, -kLargestHalf, kLargestHalf);
    return uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy), packHalf2x16(high.zw));
}

#if CACHE == 32
#define RAW(vectors, words, row, scaleWord, e) \
    packed(uintBitsToFloat(vectors[((row) + (e)) / 4]), uintBitsToFloat(vectors[((row) + (e)) / 4 + 1]))
#define halvesOf(raw) (raw)
#elif CACHE == 16
#define RAW(vectors, words, row, scaleWord, e) vectors[((row) + (e) / 2) / 4]
#define halvesOf(raw) (raw)
#else
#define RAW(vectors, words, row, scaleWord, e) \
    uvec4(words[(row) + (e) / 4], words[(row) + (e) / 4 + 1], words[(row) + (scaleWord) + (e) / 64], (e) / 32 % 2)
vec4 bytesOf(uint word) {
    return vec4(bitfieldExtract(int(word), 0, 8), bitfieldExtract(int(word), 8, 8), bitfieldExtract(int(word), 16, 8),
                bitfieldExtract(int(word), 24, 8));
}
uvec4 halvesOf(uvec4 raw) {
    const float scale = unpackHalf2x16(raw.z)[raw.w];
    return packed(scale * bytesOf(raw.x), scale * bytesOf(raw.y));
}
#endif
