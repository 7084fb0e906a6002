// What happens to the outputs of a matrix product before they are stored: bias, activation, residual, and
// which of up to three values they belong to.
//
// The matrix stacks the rows of the op's parts. ORDER says how: behind each other (kBehind; part 1 begins at
// `split1`, part 2 at `split2`), or two parts in turns (kInTurns: row 2i is row i of part 0, row 2i + 1 row i
// of part 1), which kGated makes one value of: y_i = f(row 2i) * row 2i+1.
#include "activation.glsl"

layout(binding = 2) readonly buffer Bias { float bias[]; };          // one per stacked row
layout(binding = 3) readonly buffer Residual { float residual[]; };  // shaped like y0
layout(binding = 4) writeonly buffer Y0 { float y0[]; };
layout(binding = 5) writeonly buffer Y1 { float y1[]; };
layout(binding = 6) writeonly buffer Y2 { float y2[]; };

const uint kBehind = 0, kInTurns = 1, kGated = 2;
layout(constant_id = 3) const uint ORDER = kBehind;
layout(constant_id = 4) const bool HAS_BIAS = false;
layout(constant_id = 5) const bool HAS_RESIDUAL = false;
layout(constant_id = 6) const uint ACTIVATION = ~0u;  // ~0: none; kGated: f

// Rows of values are padded to whole vectors.
uint padded(uint width) {
    return (width + 3) & ~3u;
}

float biased(uint o, float sum) {
    return HAS_BIAS ? sum + bias[o] : sum;
}

void storeAt(uint part, uint at, float value) {
    if (ACTIVATION != ~0u && ORDER != kGated) value = activate(ACTIVATION, value);
    if (HAS_RESIDUAL) value += residual[at];
    if (part == 0) y0[at] = value;
    else if (part == 1) y1[at] = value;
    else y2[at] = value;
}

// `o`: stacked row, `numOut` of them in all; `row`: of x.
void store(uint o, uint row, float sum) {
    const float value = biased(o, sum);
    if (ORDER == kInTurns) storeAt(o % 2, row * padded(numOut / 2) + o / 2, value);
    else if (o < split1) storeAt(0, row * padded(split1) + o, value);
    else if (o < split2) storeAt(1, row * padded(split2 - split1) + o - split1, value);
    else storeAt(2, row * padded(numOut - split2) + o - split2, value);
}

// Stacked rows o and o + 1, o even.
void storeGated(uint o, uint row, float gate, float up) {
    storeAt(0, row * padded(numOut / 2) + o / 2, activate(ACTIVATION, biased(o, gate)) * biased(o + 1, up));
}
