/// The sixteen levels of IQ4_NL and IQ4_XS.
/// Source: table kvalues_iq4nl of ggml. MIT License, Copyright (c) 2023-2024 The ggml authors; THIRD_PARTY.md
/// has the licence.
#pragma once

namespace ingle::quant {

inline constexpr float kIq4Levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                         1,    13,   25,  38,  53,  69,  89,  113};

}  // namespace ingle::quant
