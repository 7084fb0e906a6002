/// Granite 3 with experts. Source: the model as published with transformers,
/// src/transformers/models/granitemoe/modeling_granitemoe.py (2024).
#include "engine/models/granite.h"

namespace ingle::models::granitemoe_family {
namespace {

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeGranite("granitemoe", sizes, metadata);
    synthesizeExperts("granitemoe", sizes, metadata, 4);
}

}  // namespace

extern const ModelFamily family{
    .arch = "granitemoe", .describe = readRotatedGranite, .synthesize = synthesize};

}  // namespace ingle::models::granitemoe_family
