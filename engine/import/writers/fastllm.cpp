// FastLLM's files (.flm), version 2. Sources: ztxz16/fastllm, tools/fastllm_pytools/torch2flm.py,
// src/fastllm.cpp, and include/fastllm.h (LowBitConfig) for how integers stand for numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "engine/base/half.h"
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/gguf_layout.h"
#include "engine/import/model_writer.h"
#include "engine/import/prompt_parts.h"
#include "engine/import/quant_mix.h"

namespace ingle::importer::fastllm_writer {
namespace {

using formats::Architecture;
using formats::ModelFile;
using formats::TokenizerData;
using formats::TokenType;
using tensor::Tensor;

template <typename T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof bytes);
}

void appendText(std::string& out, std::string_view text) {
    append(out, static_cast<int32_t>(text.size()));
    out += text;
}

tl::unexpected<Error> noPlaceFor(const std::string& what) {
    return fail(ErrorCode::Unsupported, "FastLLM files cannot hold this model: {}", what);
}

/// How the matrices between embedding and output are stored, under our name and FastLLM's.
struct MatrixType {
    std::string_view quant;  ///< of the options
    std::string_view name;
    int32_t number;
    uint32_t bits = 0;       ///< of integers
    uint64_t groupSize = 0;  ///< of values with a range of their own; 0: a row
};
constexpr std::array kTypes{
    MatrixType{"F32", "float32", 0},        MatrixType{"F16", "float16", 7},
    MatrixType{"Q8_0", "int8", 3, 8},       MatrixType{"Q4_0", "int4", 8, 4},
    MatrixType{"Q4_1", "int4g", 9, 4, 128},
};

/// Bits of a number, without its range.
uint64_t bitsOf(const MatrixType& type) {
    return type.bits > 0 ? type.bits : type.quant == "F32" ? 32 : 16;
}

Result<const MatrixType*> typeOf(const ImportOptions& options) {
    if (!options.tensorTypes.empty() || !options.importance.empty())
        return fail(ErrorCode::InvalidArgument,
                    "FastLLM files have one type for all matrices and no importances");
    if (options.quant.empty()) return nullptr;
    const auto* found = std::ranges::find(kTypes, options.quant, &MatrixType::quant);
    if (found != kTypes.end()) return found;
    std::string names;
    for (const MatrixType& type : kTypes)
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", type.quant, type.name);
    return fail(ErrorCode::InvalidArgument, "FastLLM files hold {}, not \"{}\"", names, options.quant);
}

/// A family's names in such files.
struct Family {
    std::string_view arch;
    std::string_view modelType;
    std::string_view architecture;
    /// Keys of the dictionary, and whence they come; those that are absent are left out.
    std::span<const std::pair<std::string_view, std::string_view>> keys;
    std::string_view own;  ///< what FastLLM itself puts in front of every prompt
};
using Keys = std::pair<std::string_view, std::string_view>;
constexpr Keys kDecoderKeys[] = {
    {"num_hidden_layers", "block_count"},
    {"hidden_size", "embedding_length"},
    {"intermediate_size", "feed_forward_length"},
    {"num_attention_heads", "attention.head_count"},
    {"num_key_value_heads", "attention.head_count_kv"},
    {"max_position_embeddings", "context_length"},
    {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
    {"rope_theta", "rope.freq_base"},
};
constexpr Keys kChatGlmKeys[] = {
    {"num_layers", "block_count"},
    {"hidden_size", "embedding_length"},
    {"ffn_hidden_size", "feed_forward_length"},
    {"num_attention_heads", "attention.head_count"},
    {"multi_query_group_num", "attention.head_count_kv"},
    {"kv_channels", "attention.key_length"},
    {"seq_length", "context_length"},
    {"layernorm_epsilon", "attention.layer_norm_rms_epsilon"},
};
constexpr Family kFamilies[] = {
    {"llama", "llama", "LlamaForCausalLM", kDecoderKeys, ""},
    {"baichuan", "baichuan", "BaichuanForCausalLM", kDecoderKeys, ""},
    {"chatglm", "chatglm", "ChatGLMModel", kChatGlmKeys, "[gMASK]sop"},
};

Result<const Family*> familyOf(const ModelFile& model) {
    INGLE_TRY_ASSIGN(const std::string arch, model.metadata.string("general.architecture"));
    const auto* found = std::ranges::find(kFamilies, arch, &Family::arch);
    if (found == std::end(kFamilies))
        return noPlaceFor(fmt::format("FastLLM's family for {} is not known", shown(arch)));
    return found;
}

std::string textOf(const formats::MetaValue& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&value))
        return fmt::format("{}", static_cast<float>(*number));
    return "";
}

/// A text of the prompt with special tokens as FastLLM names them whatever their text.
std::string withFixedTokens(const TokenizerData& data, std::string text) {
    for (size_t id = 0; id < data.tokens.size() && id < data.types.size(); ++id) {
        const bool isSpecial =
            data.types[id] == TokenType::Control || data.types[id] == TokenType::UserDefined;
        const std::string& token = data.tokens[id];
        if (!isSpecial || token.size() < 3) continue;
        const std::string fixed = fmt::format("<FLM_FIX_TOKEN_{}>", id);
        for (size_t at = text.find(token); at != std::string::npos; at = text.find(token, at + fixed.size()))
            text.replace(at, token.size(), fixed);
    }
    return text;
}

using Dictionary = std::map<std::string, std::string>;

void setPrompt(const ModelFile& model, const Family& family, const ImportEvents& events,
               Dictionary& dictionary) {
    const TokenizerData& data = model.tokenizer;
    auto parts = promptParts(model);
    if (!parts && events.notice)
        events.notice("the model's form of prompts is not one that FastLLM files can hold; they have none");
    if (!parts) parts.emplace();
    if (!family.own.empty() && parts->begin.starts_with(family.own)) parts->begin.erase(0, family.own.size());
    std::string begin = withFixedTokens(data, parts->begin);
    const bool addsBos = family.own.empty() && data.bos && data.addBos.value_or(data.model == "llama");
    const std::string bos = addsBos ? fmt::format("<FLM_FIX_TOKEN_{}>", *data.bos) : "";
    if (!bos.empty() && !begin.starts_with(bos)) begin.insert(0, bos);
    dictionary["pre_prompt"] = begin;
    dictionary["user_role"] = withFixedTokens(data, parts->user);
    dictionary["bot_role"] = withFixedTokens(data, parts->assistant);
    dictionary["history_sep"] = withFixedTokens(data, parts->end);
}

Result<Dictionary> dictionaryOf(const ModelFile& model, const Family& family, const ImportEvents& events) {
    Dictionary out{{"model_type", std::string(family.modelType)}, {"hidden_act", "silu"}};
    for (const auto& [key, from] : family.keys) {
        const auto* value = model.metadata.find(fmt::format("{}.{}", family.arch, from));
        if (value) out[std::string(key)] = textOf(*value);
    }
    const auto key = [&](std::string_view name) { return fmt::format("{}.{}", family.arch, name); };
    INGLE_TRY_ASSIGN(const std::string scaling, model.metadata.stringOr(key("rope.scaling.type"), "none"));
    if (scaling == "linear") {
        INGLE_TRY_ASSIGN(const float factor, model.metadata.f32(key("rope.scaling.factor")));
        out["rope_scaling.type"] = "linear";
        out["rope_scaling.factor"] = fmt::format("{}", factor);
    } else if (scaling != "none") {
        return noPlaceFor(fmt::format("its rotary positions are scaled by \"{}\"", shown(scaling)));
    }
    if (family.arch == "chatglm") {
        INGLE_TRY_ASSIGN(const float base, model.metadata.f32Or(key("rope.freq_base"), 10000));
        out["rope_ratio"] = fmt::format("{}", base / 10000);
        out["multi_query_attention"] = "True";
    }
    if (family.arch == "baichuan" && out["num_hidden_layers"] == "40") {
        out["use_alibi"] = "1";
        out["model_max_length"] = std::exchange(out["max_position_embeddings"], "");
        out.erase("max_position_embeddings");
    }
    out["vocab_size"] = std::to_string(model.find("token_embd.weight")->shape.numRows());
    out["tie_word_embeddings"] = model.find("output.weight") ? "False" : "True";
    const TokenizerData& data = model.tokenizer;
    if (data.bos) out["bos_token_id"] = std::to_string(*data.bos);
    std::vector<TokenId> ends;
    for (const auto& id : {data.eos, data.eot, data.eom})
        if (id && std::ranges::find(ends, *id) == ends.end()) ends.push_back(*id);
    if (ends.size() == 1) out["eos_token_id"] = std::to_string(ends[0]);
    if (ends.size() > 1) out["eos_token_id"] = fmt::format("[{}]", fmt::join(ends, ", "));
    if (data.model == "none" || data.tokens.empty()) return out;
    out["tokenizer_use_score"] = "1";
    out["tokenizer_add_dummy_prefix"] = data.addSpacePrefix.value_or(true) ? "True" : "False";
    out["tokenizer_remove_extra_whitespaces"] = data.removeExtraSpaces.value_or(false) ? "True" : "False";
    setPrompt(model, family, events, out);
    return out;
}

Result<std::string> vocabularyOf(const TokenizerData& data) {
    std::string out;
    if (data.model == "none" || data.tokens.empty()) {
        append(out, int32_t{0});
        return out;
    }
    if (data.model != "llama" || data.scores.size() != data.tokens.size())
        return noPlaceFor("its vocabulary is not one of SentencePiece that merges pieces by scores");
    int32_t count = 0;
    for (size_t id = 0; id < data.tokens.size(); ++id) {
        if (!data.types.empty() && data.types[id] == TokenType::Unused) continue;
        ++count;
        append(out, static_cast<int32_t>(data.tokens[id].size()));
        for (const char c : data.tokens[id]) append(out, static_cast<int32_t>(static_cast<unsigned char>(c)));
        append(out, static_cast<int32_t>(id));
        append(out, data.scores[id]);
    }
    std::string head;
    append(head, count);
    return head + out;
}

/// Scale and zero of numbers from `low` to `high`, as FastLLM finds them.
struct Steps {
    float low = 0, high = 0, scale = 0, zero = 0;

    Steps(std::span<const float> values, uint32_t bits) {
        for (const float value : values) {
            low = std::fmin(low, value);
            high = std::fmax(high, value);
        }
        const auto most = static_cast<float>((1U << bits) - 1);
        scale = (high - low) / most;
        zero = scale > 0 ? std::round(std::clamp(-low / scale, 0.0F, most)) : 0;
    }
    /// To nearest; a number that is none becomes 0.
    uint32_t step(float value, uint32_t bits) const {
        const auto most = static_cast<float>((1U << bits) - 1);
        const float q = scale > 0 ? std::round(value / scale + zero) : 0;
        return static_cast<uint32_t>(std::fmin(std::fmax(q, 0.0F), most));
    }
};

/// Ranges, then integers. The ranges are needed first, so rows are read twice.
Status writeIntegers(const Tensor& tensor, const MatrixType& type, WritingProgress& progress,
                     io::AtomicFile& file) {
    const uint64_t width = tensor.shape.rowElems();
    const uint64_t groupSize = type.groupSize ? type.groupSize : width;
    const uint64_t numGroups = (width - 1) / groupSize + 1;
    const auto groupOf = [&](std::span<const float> values, uint64_t group) {
        return values.subspan(group * groupSize, std::min(groupSize, width - group * groupSize));
    };
    std::string head;
    append(head, int32_t{0});  // the axis
    if (type.groupSize) {
        append(head, static_cast<int32_t>(numGroups));
        append(head, static_cast<int32_t>(groupSize));
    }
    INGLE_TRY(file.write(std::as_bytes(std::span(head))));
    const auto ranges = [&](std::span<const float> values, std::span<std::byte> row) {
        for (uint64_t group = 0; group < numGroups; ++group) {
            const Steps steps(groupOf(values, group), type.bits);
            const float range[]{steps.low, steps.high};
            std::memcpy(row.data() + group * sizeof range, range, sizeof range);
        }
    };
    const auto integers = [&](std::span<const float> values, std::span<std::byte> row) {
        std::ranges::fill(row, std::byte{0});
        for (uint64_t group = 0; group < numGroups; ++group) {
            const auto part = groupOf(values, group);
            const Steps steps(part, type.bits);
            for (size_t i = 0; i < part.size(); ++i) {
                const uint32_t step = steps.step(part[i], type.bits);
                const size_t at = group * groupSize + i;
                if (type.bits == 8)
                    row[at] = static_cast<std::byte>(step);
                else
                    row[at / 2] |= static_cast<std::byte>(at % 2 == 0 ? step << 4 : step);
            }
        }
    };
    INGLE_TRY(writeRows(tensor, numGroups * 2 * sizeof(float), ranges, progress, file));
    return writeRows(tensor, width * type.bits / 8, integers, progress, file);
}

Status writeNumbers(const Tensor& tensor, const MatrixType& type, WritingProgress& progress,
                    io::AtomicFile& file) {
    if (type.bits > 0) return writeIntegers(tensor, type, progress, file);
    if (type.quant == "F32") return writeFloats(tensor, progress, file);
    const auto halves = [](std::span<const float> values, std::span<std::byte> row) {
        for (size_t i = 0; i < values.size(); ++i) {
            const uint16_t half = base::f32ToF16(values[i]);
            std::memcpy(row.data() + 2 * i, &half, sizeof half);
        }
    };
    return writeRows(tensor, tensor.shape.rowElems() * 2, halves, progress, file);
}

struct Weight {
    std::string name;
    const Tensor* tensor;
    const MatrixType* type;
};

/// What FastLLM multiplies with is of the type that is wanted, or as it is stored where it can be; the rest
/// is float32, as its own converter writes it.
Result<std::vector<Weight>> weightsOf(const ModelFile& model, const Family& family, const MatrixType* wanted,
                                      const ImportEvents& events) {
    const Architecture& architecture = *formats::findArchitecture(family.architecture, {});
    const MatrixType& floats = kTypes[0];
    const MatrixType& halves = kTypes[1];
    std::vector<Weight> weights;
    size_t numRounded = 0;
    for (const auto& [name, tensor] : model.tensors) {
        auto source = formats::sourceName(architecture, name);
        if (!source) return noPlaceFor(fmt::format("there is no place for the tensor '{}'", shown(name)));
        const MatrixType* type = &floats;
        if (name != "token_embd.weight" && isQuantizable(name, tensor.shape)) {
            const bool isFloat = tensor.format->id == quant::kF32 && !tensor.side;
            const bool isHalf = tensor.format->id == quant::kF16 && !tensor.side;
            type = wanted ? wanted : isFloat ? &floats : &halves;
            numRounded += !wanted && !isFloat && !isHalf ? 1 : 0;
            if (type->bits == 4 && tensor.shape.rowElems() % 2 != 0)
                return noPlaceFor(fmt::format("rows of '{}' are no whole bytes in {}", name, type->name));
        }
        weights.push_back({*std::move(source), &tensor, type});
    }
    if (numRounded > 0 && events.notice)
        events.notice(fmt::format("{} {} as float16, since FastLLM has no such type", numRounded,
                                  numRounded == 1 ? "tensor is written" : "tensors are written"));
    return weights;
}

Status write(const ImportOptions& options, const ImportEvents& events) {
    INGLE_TRY_ASSIGN(const MatrixType* wanted, typeOf(options));
    INGLE_TRY_ASSIGN(ModelFile model, openForWriting(options));
    INGLE_TRY_ASSIGN(const Family* family, familyOf(model));
    if (!model.find("token_embd.weight")) return noPlaceFor("it has no table of tokens");
    const Architecture& architecture = *formats::findArchitecture(family->architecture, {});
    INGLE_TRY(formats::layOutRotaryPairs(model, architecture.rotaryPairs));
    INGLE_TRY_ASSIGN(const Dictionary dictionary, dictionaryOf(model, *family, events));
    INGLE_TRY_ASSIGN(const std::string vocabulary, vocabularyOf(model.tokenizer));
    INGLE_TRY_ASSIGN(const auto weights, weightsOf(model, *family, wanted, events));

    WritingProgress progress(events);
    uint64_t targetBytes = 0;
    for (const Weight& weight : weights) {
        progress.expect(weight.tensor->bytes() * (weight.type->bits > 0 ? 2 : 1));
        targetBytes += bitsOf(*weight.type) * weight.tensor->shape.numElems() / 8;
    }
    INGLE_TRY(checkRoom(options.target, targetBytes));
    std::string head;
    append(head, int32_t{2});  // the version
    append(head, static_cast<int32_t>(dictionary.size()));
    for (const auto& [key, value] : dictionary) {
        appendText(head, key);
        appendText(head, value);
    }
    head += vocabulary;
    append(head, static_cast<int32_t>(weights.size()));
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(options.target));
    INGLE_TRY(file->write(std::as_bytes(std::span(head))));
    for (const Weight& weight : weights) {
        std::string record;
        appendText(record, weight.name);
        const tensor::Shape& shape = weight.tensor->shape;
        const bool isVector = shape.numRows() == 1;
        append(record, int32_t{isVector ? 1 : 2});
        if (!isVector) append(record, static_cast<int32_t>(shape.numRows()));
        append(record, static_cast<int32_t>(shape.rowElems()));
        append(record, weight.type->number);
        INGLE_TRY(file->write(std::as_bytes(std::span(record))));
        INGLE_TRY(writeNumbers(*weight.tensor, *weight.type, progress, *file));
    }
    return file->commit();
}

}  // namespace

extern const ModelWriter writer{.extension = ".flm", .name = "FastLLM", .write = write};

}  // namespace ingle::importer::fastllm_writer
