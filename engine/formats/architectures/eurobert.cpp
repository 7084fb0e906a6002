/// EuroBERT. Source: transformers, modeling_eurobert.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::eurobert_architectures {
namespace {

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    for (const char* key : {"attention_bias", "mlp_bias"}) INGLE_TRY(expectFlag(t.config, key, false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    t.set("attention.causal", false);
    t.setCount("pooling_type", 1);
    return setRope(t, sizes, 10000);
}

constexpr Architecture kArchitectures[] = {
    {.name = "EuroBertModel", .family = "eurobert", .setKeys = setKeys},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::eurobert_architectures
