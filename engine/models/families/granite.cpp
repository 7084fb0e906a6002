/// Granite 3: Llama's layer with scales of what is embedded, added, compared and written; experts with one
/// more that serves every row, or a feed-forward. Source: the model as published with transformers,
/// src/transformers/models/granite/modeling_granite.py (2024).
#include "engine/models/granite.h"

namespace ingle::models::granite_family {
namespace {

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeGranite("granite", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "granite", .describe = readGranite, .synthesize = synthesize};

}  // namespace ingle::models::granite_family
