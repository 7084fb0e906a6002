/// The language models of Qwen2-VL, Qwen2.5-VL and Qwen3-VL; their positions have components that are all the
/// same in text. Sources: transformers, modeling_qwen2_vl.py, modeling_qwen2_5_vl.py, modeling_qwen3_vl.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::qwen_vl_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"visual.", "model.visual."};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    // Where windows are used, they are of some layers; up to their length there are none.
    INGLE_TRY_ASSIGN(const bool hasWindows, t.config.boolOr("use_sliding_window", false));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    if (hasWindows && window > 0 && window < sizes.context) t.setCount("context_length", window);
    return setRope(t, sizes, 1e6);
}

Status setQwen3(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes, 5e6);
}

constexpr TextStep kSteps[] = {TextStep::Nfc};
constexpr WordRules kWords{"qwen2", kSteps};

constexpr Architecture kArchitectures[] = {
    {.name = "Qwen2VLForConditionalGeneration",
     .family = "qwen2vl",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .words = kWords},
    {.name = "Qwen2_5_VLForConditionalGeneration",
     .family = "qwen2vl",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .words = kWords},
    {.name = "Qwen3VLForConditionalGeneration",
     .family = "qwen3vl",
     .setKeys = setQwen3,
     .ignored = kImageParts,
     .words = kWords},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::qwen_vl_architectures
