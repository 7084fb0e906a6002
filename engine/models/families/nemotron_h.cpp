/// Nemotron-H and Nemotron Nano 2: one mixer or feed-forward in a layer, behind one norm. Source: NVIDIA,
/// "Nemotron-H: A Family of Accurate and Efficient Hybrid Mamba-Transformer Models" (2025), section 2.
#include "engine/models/nemotron_hybrid.h"

namespace ingle::models::nemotron_h_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readNemotronHybrid(keys, NemotronFeedForward::Dense);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeNemotronHybrid("nemotron_h", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "nemotron_h", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::nemotron_h_family
