/// A head in a file of its own that predicts what a decoder writes, from what three of its layers read and
/// from the next token. Source: Li et al., "EAGLE-3: Scaling up Inference Acceleration of Large Language
/// Models via Training-Time Test" (2025), section 3.
#pragma once

#include <string_view>
#include <vector>

#include "engine/models/family.h"

namespace ingle::models {

/// general.architecture of such files.
inline constexpr std::string_view kDraftHeadArch = "eagle3";

/// f = [h_a; h_b; h_c], what the layers a, b and c of the decoder read;  g = Wfc [norm](f);  x = [norm(embed(
/// token t + 1)); norm(g)];  h = g + attn(x);  h = h + ffn(norm(h)), which takes the place of g for a further
/// guess;  logits = Wout norm(h).
struct DraftHead {
    std::vector<uint32_t> layers;  ///< a, b, c
    BoundModel fusion;             ///< f → g
    BoundModel head;               ///< g and a token → logits and h
    std::vector<TokenId> tokens;   ///< of the decoder, which the logits are of; empty: all of its
};

/// The head that `file` holds, for a decoder. What it shares with that one, its embedding and its output
/// layer, is added to `file`. Errors: Corrupt; InvalidArgument (it is for a decoder of other sizes).
Result<DraftHead> bindDraftHead(formats::ModelFile& file, const formats::ModelFile& decoder,
                                const ModelFacts& facts);

}  // namespace ingle::models
