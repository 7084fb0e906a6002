// FastLLM's files (.flm): weights under the names of Hugging Face with the configuration of the model as
// texts, a vocabulary, and the parts of a prompt. The rest is the translation that folders of Hugging Face go
// through. Sources: ztxz16/fastllm, src/fastllm.cpp, src/model.cpp and src/tokenizer.cpp, torch2flm.py.
#include <algorithm>
#include <array>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/fastllm/fastllm_file.h"
#include "engine/formats/fastllm/fastllm_tokenizer.h"
#include "engine/formats/file_reader.h"
#include "ingle/error_ids.h"

namespace ingle::formats::fastllm_reader {
namespace {

/// What its converters call a model, and the architecture that it is.
struct ModelType {
    std::string_view name;
    std::string_view architecture;
};
constexpr std::array<ModelType, 8> kModelTypes{{
    {"llama", "LlamaForCausalLM"},
    {"mistral", "MistralForCausalLM"},
    {"internlm", "LlamaForCausalLM"},
    {"baichuan", "BaichuanForCausalLM"},
    {"qwen2", "Qwen2ForCausalLM"},
    {"qwen3", "Qwen3ForCausalLM"},
    {"chatglm", "ChatGLMModel"},
    {"glm4", "Glm4ForCausalLM"},
}};

Match probe(std::span<const std::byte> file) {
    return isFastLlm(file) ? Match::Magic : Match::No;
}

Result<const Architecture*> architectureOf(const FastLlmFile& file, const Metadata& config) {
    const auto stated = file.dictionary.find("model_type");
    if (stated == file.dictionary.end()) return fail(ErrorCode::Corrupt, "it does not say its model_type");
    const auto* type = std::ranges::find(kModelTypes, stated->second, &ModelType::name);
    const Architecture* found =
        type == kModelTypes.end() ? nullptr : findArchitecture(type->architecture, config);
    if (found) return found;
    return withId<ErrorId::UnknownFamily>(
        fail(ErrorCode::Unsupported, "the model family \"{}\" is not supported", shown(stated->second)),
        shown(stated->second));
}

Result<ModelFile> read(std::span<const std::byte> bytes) {
    INGLE_TRY_ASSIGN(FastLlmFile file, parseFastLlm(bytes));
    const Metadata config = configOf(file);
    INGLE_TRY_ASSIGN(const Architecture* architecture, architectureOf(file, config));
    ModelFile model;
    model.format = fmt::format("FastLLM v{}", file.version);
    model.rotaryPairs = architecture->rotaryPairs;
    model.metadata.set("general.architecture", std::string(architecture->family));
    INGLE_TRY_ASSIGN(model.tokenizer, tokenizerOf(file, architecture->words));
    Checkpoint checkpoint;
    for (StoredTensor& weight : file.weights) {
        std::string name = weight.name;
        if (!checkpoint.tensors.try_emplace(std::move(name), std::move(weight)).second)
            return fail(ErrorCode::Corrupt, "a tensor occurs twice");
    }
    Translation translation(config, architecture->family, std::move(model));
    INGLE_TRY(architecture->setKeys(translation));
    INGLE_TRY(translation.run(checkpoint, *architecture));
    fitVocabulary(translation.model.tokenizer, translation.numTokens());
    setPrompt(file, architecture->family, translation.model.tokenizer);
    return std::move(translation.model);
}

}  // namespace

extern const FileReader reader{.name = "FastLLM", .probe = probe, .read = read};

}  // namespace ingle::formats::fastllm_reader
