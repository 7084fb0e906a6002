// Rotary position embedding. An angle is position * frequency modulo a turn, in exact integer arithmetic (an
// f32 product is off by 0.004 at position 100,000); cosine and sine are own polynomials, since Vulkan
// promises 2^-11 only.
// Turns a position, times 2^64: high, low.
layout(binding = ROPE_BINDING) readonly buffer Frequencies { uvec2 frequencies[]; };

// Of t / 2^32 turns. Within an eighth of a turn around the nearest quarter the series' next terms are below 2e-9.
vec2 cosSin(uint t) {
    const uint quarter = (t + (1u << 29)) >> 30;
    const float a = float(int(t - (quarter << 30))) * 1.46291807926716e-9;  // 2 pi / 2^32
    const float s = a * a;
    const float c = 1 + s * (-1.0 / 2 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 - s / 3628800))));
    const float n = a * (1 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s / 362880))));
    switch (quarter & 3) {
        case 0: return vec2(c, n);
        case 1: return vec2(-n, c);
        case 2: return vec2(-c, -n);
        default: return vec2(n, -c);
    }
}

vec2 ropeAngle(uint position, uint pair) {
    const uvec2 f = frequencies[pair];
    uint high, low;
    umulExtended(position, f.y, high, low);
    return cosSin(position * f.x + high);
}
