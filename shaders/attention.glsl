// What queries see, and how scores come to be: see AttentionParams in engine/backend/op.h. The including shader has
// step.glsl, and the numbers of its heads' dimensions.
layout(constant_id = 1) const uint KEY_DIM = 64;
layout(constant_id = 2) const uint VALUE_DIM = 64;
layout(constant_id = 3) const uint FEATURES = 0;
const uint kWindow = 1, kChunk = 2, kSoftCap = 4, kSlopes = 8, kSinks = 16, kPrefix = 32, kFull = 64,
           kBefore = 128;

layout(binding = 1) readonly buffer Q { float q[]; };
layout(binding = 2) readonly buffer Keys { uint keys[]; };
layout(binding = 3) readonly buffer Values { uint values[]; };
layout(binding = 5) writeonly buffer Y { float y[]; };
layout(binding = 6) readonly buffer Slopes { float slopes[]; };  // [heads]
layout(binding = 7) readonly buffer Sinks { float sinks[]; };    // [heads]
layout(push_constant) uniform Push {
    uint numHeads, headsPerKv;
    float scale;
    uint maxPages;
    uint keyRowWords, keyScaleWord, valueRowWords, valueScaleWord;
    uint numRows;
    uint window, chunk;
    float softCap;
};

const uint kKeyVectors = (KEY_DIM + 3) / 4;  // of a head
const uint kValueVectors = (VALUE_DIM + 3) / 4;
const float kLowest = -3.4e38;

bool has(uint feature) {
    return (FEATURES & feature) != 0;
}

// Keys [x, y). Neither is below that of an earlier position.
uvec2 seenBy(Run run, uint position) {
    uvec2 seen = uvec2(0, position + 1);
    if (has(kWindow)) seen.x = seen.y - min(seen.y, window);
    if (has(kChunk)) seen.x = position / chunk * chunk;
    if (has(kPrefix)) seen.y = max(seen.y, run.prefixTokens);
    if (has(kFull)) {
        seen.y = run.firstPosition + run.numRows;
        if (has(kWindow)) seen.y = position + min(seen.y - position, window);
        if (has(kChunk)) seen.y = min(seen.y, seen.x + chunk);
    }
    if (has(kBefore)) seen = uvec2(0, run.firstPosition);
    return seen;
}

// `product`: scale q·k.
float scoreOf(float product, uint head, uint position, uint key) {
    // Some drivers' tanh knows no large numbers.
    if (has(kSoftCap)) product = softCap * tanh(clamp(product / softCap, -15, 15));
    if (has(kSlopes)) product -= slopes[head] * float(max(position, key) - min(position, key));
    return product;
}

// As a power of two. `product`: has the factor log2(e) already, unless there is a soft cap.
const float kLog2E = 1.44269504;
float scoreOfBase2(float product, uint head, uint position, uint key) {
    if (!has(kSoftCap | kSlopes)) return product;
    return kLog2E * scoreOf(has(kSoftCap) ? product : product / kLog2E, head, position, key);
}

uint padded(uint width) {
    return (width + 3) & ~3u;
}

vec4 queryAt(uint first, uint vector) {
    vec4 value = vec4(0);
    for (uint i = 0; i < 4 && 4 * vector + i < KEY_DIM; ++i) value[i] = q[first + 4 * vector + i];
    return scale * value;
}
