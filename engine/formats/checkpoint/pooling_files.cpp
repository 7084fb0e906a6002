// Source: UKPLab/sentence-transformers, SentenceTransformer.py (modules.json, prompts), models/Pooling.py and
// models/Dense.py.
#include "engine/formats/checkpoint/pooling_files.h"

#include <algorithm>
#include <array>

#include "engine/formats/checkpoint/json_flattener.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

constexpr std::array<std::string_view, 2> kDense{"dense_2", "dense_3"};  // as GGUF calls them
constexpr std::string_view kPooling = "pooling";
constexpr std::string_view kSettings = "sentence_transformers";

void add(Config& config, std::string_view prefix, const Metadata& values) {
    for (const auto& [key, value] : values.all()) config.set(fmt::format("{}.{}", prefix, key), value);
}

/// The configuration of a module.
Status addConfig(Checkpoint& checkpoint, const io::Source& folder, std::string_view prefix, Config& config) {
    INGLE_TRY_ASSIGN(const auto text, findText(checkpoint, folder, "config.json"));
    if (!text) return fail(ErrorCode::Corrupt, "{} holds no config.json", folder.path());
    const auto values = flattenJson(*text);
    if (!values) return happenedTo(folder.path(), values.error());
    add(config, prefix, *values);
    return {};
}

/// "linear.weight" and "linear.bias".
Status addWeights(Checkpoint& checkpoint, const io::Source& folder, std::string_view prefix) {
    for (const std::string_view name : {"model.safetensors", "pytorch_model.bin"}) {
        INGLE_TRY_ASSIGN(const auto file, folder.findSibling(name));
        if (!file) continue;
        INGLE_TRY_ASSIGN(auto mapping, io::MappedFile::map(*file));
        INGLE_TRY_ASSIGN(Checkpoint layer, openCheckpoint(*file, std::move(mapping)));
        for (auto& [stored, tensor] : layer.tensors) {
            const std::string part = stored.substr(stored.find('.') + 1);
            tensor.name = fmt::format("{}.{}", prefix, part);
            checkpoint.tensors.insert_or_assign(tensor.name, std::move(tensor));
        }
        std::ranges::move(layer.sources, std::back_inserter(checkpoint.sources));
        std::ranges::move(layer.mappings, std::back_inserter(checkpoint.mappings));
        return {};
    }
    return fail(ErrorCode::Corrupt, "{} holds no weights", folder.path());
}

/// pooling_type.
enum Pooling : uint32_t { kMean = 1, kFirst = 2, kLast = 3 };

Result<Pooling> statedPooling(const Config& config) {
    struct Mode {
        std::string_view flag, name;
        Pooling pooling;
    };
    constexpr Mode kModes[] = {{"pooling.pooling_mode_mean_tokens", "mean", kMean},
                               {"pooling.pooling_mode_cls_token", "cls", kFirst},
                               {"pooling.pooling_mode_lasttoken", "lasttoken", kLast}};
    INGLE_TRY_ASSIGN(const std::string name, config.stringOr("pooling.pooling_mode", ""));
    std::optional<Pooling> pooling;
    uint32_t numModes = 0;
    for (const auto& [key, value] : config.all()) {
        const bool* isOn = std::get_if<bool>(&value);
        numModes += key.starts_with("pooling.pooling_mode_") && isOn && *isOn ? 1 : 0;
    }
    for (const Mode& mode : kModes) {
        INGLE_TRY_ASSIGN(const bool isOn, config.boolOr(mode.flag, mode.name == name));
        if (isOn) pooling = mode.pooling;
    }
    // What sentence-transformers does then.
    if (name.empty() && numModes == 0) return kMean;
    if (!pooling || numModes > 1)
        return fail(ErrorCode::Unsupported, "its way to pool the rows of a text is not supported");
    return *pooling;
}

Status setDense(Translation& t, std::string_view name) {
    const auto key = [&](std::string_view part) { return fmt::format("{}.{}", name, part); };
    INGLE_TRY_ASSIGN(const uint32_t in, t.config.u32(key("in_features")));
    INGLE_TRY_ASSIGN(const uint32_t out, t.config.u32(key("out_features")));
    t.setCount(fmt::format("{}_feat_in", name), in);
    t.setCount(fmt::format("{}_feat_out", name), out);
    // "torch.nn.modules.activation.Tanh"
    INGLE_TRY_ASSIGN(const std::string function, t.config.stringOr(key("activation_function"), "Tanh"));
    const std::string_view activation = std::string_view(function).substr(function.rfind('.') + 1);
    if (activation == "Identity") return {};
    if (activation != "Tanh")
        return fail(ErrorCode::Unsupported, "the activation \"{}\" behind the pooling is not supported",
                    shown(function));
    t.set(fmt::format("{}_activation", name), std::string("tanh"));
    return {};
}

Status setPrompts(Translation& t) {
    const auto prompt = [&](std::string_view name) {
        return t.config.stringOr(fmt::format("{}.prompts.{}", kSettings, name), "");
    };
    const auto set = [&](std::string_view use, std::string text) {
        t.model.metadata.set(fmt::format("embedding.prompt.{}", use), std::move(text));
    };
    INGLE_TRY_ASSIGN(std::string query, prompt("query"));
    set("query", std::move(query));
    std::string document;
    for (const std::string_view name : {"document", "passage", "corpus"}) {
        if (!document.empty()) break;
        INGLE_TRY_ASSIGN(document, prompt(name));
    }
    set("document", std::move(document));
    INGLE_TRY_ASSIGN(const std::string usual,
                     t.config.stringOr(fmt::format("{}.default_prompt_name", kSettings), ""));
    if (usual.empty()) return {};
    INGLE_TRY_ASSIGN(std::string alone, prompt(usual));
    set("alone", std::move(alone));
    return {};
}

bool hasAny(const Config& config, std::string_view prefix) {
    const std::string begin = fmt::format("{}.", prefix);
    return std::ranges::any_of(config.all(),
                               [&](const auto& entry) { return entry.first.starts_with(begin); });
}

}  // namespace

Status addModules(Checkpoint& checkpoint, const io::Source& source, Config& config) {
    INGLE_TRY_ASSIGN(const auto list, findText(checkpoint, source, "modules.json"));
    if (!list) return {};
    // A list, where the reader of JSON knows objects only.
    const auto modules = flattenJson(fmt::format("{{\"modules\": {}}}", *list));
    if (!modules) return happenedTo("modules.json", modules.error());
    size_t numDense = 0;
    for (size_t i = 0;; ++i) {
        const auto part = [&](std::string_view name) {
            return modules->stringOr(fmt::format("modules.{}.{}", i, name), "").value_or("");
        };
        const std::string type = part("type"), path = part("path");
        if (type.empty()) break;
        const std::string_view name = std::string_view(type).substr(type.rfind('.') + 1);
        if (name == "Transformer" || name == "Normalize") continue;
        const bool isDense = name == "Dense" && numDense < kDense.size();
        if (name != "Pooling" && !isDense)
            return fail(ErrorCode::Unsupported, "embeddings with the module \"{}\" are not supported",
                        shown(type));
        INGLE_TRY_ASSIGN(const io::Source folder, source.sibling(path));
        INGLE_TRY(addConfig(checkpoint, folder, isDense ? kDense.at(numDense) : kPooling, config));
        if (isDense) INGLE_TRY(addWeights(checkpoint, folder, kDense.at(numDense++)));
    }
    INGLE_TRY_ASSIGN(const auto settings, findText(checkpoint, source, "config_sentence_transformers.json"));
    if (!settings) return {};
    const auto values = flattenJson(*settings);
    if (!values) return happenedTo("config_sentence_transformers.json", values.error());
    add(config, kSettings, *values);
    return {};
}

Status setModules(Translation& translation) {
    const Config& config = translation.config;
    if (hasAny(config, kPooling)) {
        INGLE_TRY_ASSIGN(const Pooling pooling, statedPooling(config));
        translation.setCount("pooling_type", pooling);
        INGLE_TRY_ASSIGN(const bool isCausal, config.boolOr("is_causal", true));
        if (!isCausal) translation.set("attention.causal", false);
    }
    for (const std::string_view dense : kDense)
        if (hasAny(config, dense)) INGLE_TRY(setDense(translation, dense));
    return hasAny(config, kSettings) ? setPrompts(translation) : Status();
}

}  // namespace ingle::formats
