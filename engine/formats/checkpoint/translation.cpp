#include "engine/formats/checkpoint/translation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/common_rules.h"
#include "engine/formats/tensor_directory.h"
#include "engine/tensor/joined_rows.h"
#include "engine/tensor/side_data.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

/// A name with "#" for each number between dots.
struct NumberedName {
    std::string pattern;
    std::vector<uint32_t> numbers;
};

NumberedName numbered(std::string_view name) {
    NumberedName out;
    while (true) {
        const std::string_view part = name.substr(0, name.find('.'));
        uint32_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        const bool isNumber = !part.empty() && error == std::errc{} && end == part.data() + part.size();
        out.pattern += isNumber ? "#" : part;
        if (isNumber) out.numbers.push_back(number);
        if (part.size() == name.size()) return out;
        out.pattern += '.';
        name.remove_prefix(part.size() + 1);
    }
}

/// Models of text and images keep those of text under names of their own, and so do classifiers.
std::string textName(std::string_view name) {
    for (const std::string_view prefix :
         {"model.language_model.", "language_model.model.", "model.text_model."})
        if (name.starts_with(prefix)) return fmt::format("model.{}", name.substr(prefix.size()));
    for (const std::string_view prefix : {"language_model.", "bert.", "roberta."})
        if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
    // What was saved without a head.
    for (const std::string_view prefix : {"layers.", "embed_tokens.", "norm.", "final_norm."})
        if (name.starts_with(prefix)) return fmt::format("model.{}", name);
    for (const std::string_view prefix : {"h.", "wte.", "wpe.", "ln_f.", "word_embeddings"})
        if (name.starts_with(prefix)) return fmt::format("transformer.{}", name);
    constexpr std::string_view kBackbone = "backbone.";
    if (name.starts_with(kBackbone)) return fmt::format("model.{}", name.substr(kBackbone.size()));
    return std::string(name);
}

/// The layer's number takes the place of "#".
Place placeOf(const TensorRule& rule, std::vector<uint32_t> numbers) {
    Place place{std::string(rule.to), std::move(numbers)};
    if (const size_t at = place.name.find('#'); at != std::string::npos && !place.numbers.empty())
        place.name.replace(at, 1, std::to_string(place.numbers.front()));
    return place;
}

const TensorRule* findRule(const Architecture& architecture, std::string_view pattern) {
    for (const std::span<const TensorRule> rules : {architecture.tensors, commonRules()}) {
        const auto found = std::ranges::find(rules, pattern, &TensorRule::from);
        if (found != rules.end()) return &*found;
    }
    return nullptr;
}

const TensorRule* findRule(const VisionPart& part, std::string_view pattern) {
    for (const std::span<const TensorRule> rules : {part.tensors, part.tower}) {
        const auto found = std::ranges::find(rules, pattern, &TensorRule::from);
        if (found != rules.end()) return &*found;
    }
    return nullptr;
}

Result<const quant::QuantFormat*> formatOf(const StoredTensor& stored) {
    const quant::QuantFormat* format = quant::findFormat(std::string_view(stored.type));
    const bool isFloat = stored.type == "F32" || stored.type == "F16" || stored.type == "BF16";
    if (!format || !isFloat)
        return withId<ErrorId::UnknownBlockType>(
            fail(ErrorCode::Unsupported, "tensor '{}' is stored as {}, which is not supported",
                 shown(stored.name), shown(stored.type)),
            shown(stored.type));
    return format;
}

/// So many rows of a packed matrix: where they lie, if their scales can be told apart.
Result<tensor::Tensor> rowsOf(const std::shared_ptr<const tensor::Tensor>& whole, uint64_t first,
                              uint64_t count) {
    auto side = whole->decoder ? nullptr : whole->side->ofRows(whole->shape, first, count);
    if (!side) return tensor::joinRows({{.of = whole, .first = first, .count = count}});
    tensor::Tensor rows = *whole;
    rows.shape = tensor::Shape::of(whole->shape.rowElems(), count);
    rows.side = std::move(side);
    rows.data = whole->data.subspan(first * whole->rowBytes(), count * whole->rowBytes());
    return rows;
}

}  // namespace

std::optional<std::string> sourceName(const Architecture& architecture, std::string_view name) {
    const NumberedName own = numbered(name);
    for (const std::span<const TensorRule> rules : {architecture.tensors, commonRules()}) {
        const auto found = std::ranges::find(rules, own.pattern, &TensorRule::to);
        if (found == rules.end() || found->change) continue;
        std::string source(found->from);
        if (const size_t at = source.find('#'); at != std::string::npos)
            source.replace(at, 1, std::to_string(own.numbers.front()));
        return source;
    }
    return std::nullopt;
}

Result<tensor::Shape> shapeOf(const StoredTensor& stored) {
    tensor::Shape shape;
    if (stored.dims.size() > shape.dims.size())
        return fail(ErrorCode::Unsupported, "tensor '{}' has {} dimensions", shown(stored.name),
                    stored.dims.size());
    std::ranges::reverse_copy(stored.dims, shape.dims.begin());
    return shape;
}

void Translation::set(std::string_view key, MetaValue value) {
    model.metadata.set(fmt::format("{}.{}", m_family, key), std::move(value));
}

Status Translation::place(const StoredTensor& stored, std::string name) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    return place(stored, std::move(name), shape);
}

Status Translation::place(const StoredTensor& stored, std::string name, const tensor::Shape& shape) {
    INGLE_TRY_ASSIGN(tensor::Tensor tensor, tensorOf(stored, std::move(name), shape));
    return addTensor(model, std::move(tensor));
}

Result<tensor::Tensor> Translation::tensorOf(const StoredTensor& stored, std::string name,
                                             const tensor::Shape& shape) const {
    if (stored.packed) {
        if (shape != stored.packed->shape)
            return fail(ErrorCode::Unsupported, "tensor '{}' cannot be packed: it is no matrix here",
                        shown(stored.name));
        tensor::Tensor tensor = *stored.packed;
        tensor.name = std::move(name);
        return tensor;
    }
    INGLE_TRY_ASSIGN(const auto* format, formatOf(stored));
    ModelFile one;  // for the checks that every tensor goes through
    INGLE_TRY(addTensor(one, stored.data, std::move(name), shape, *format, 0));
    return one.tensors.begin()->second;
}

Status Translation::make(std::string name, const tensor::Shape& shape, std::span<const float> values) {
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(values.size_bytes()));
    std::ranges::copy(values, buffer.floats().begin());
    const std::span bytes(std::as_const(buffer).data(), buffer.size());
    INGLE_TRY(addTensor(model, bytes, std::move(name), shape, *quant::findFormat(quant::kF32), 0));
    model.buffers.push_back(std::move(buffer));
    return {};
}

Status Translation::split(const std::string& name, std::span<const Part> parts) {
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end()) return {};
    const tensor::Tensor whole = found->second;
    model.tensors.erase(found);
    const bool isVector = whole.shape.numRows() == 1;
    const uint64_t unit = isVector ? whole.rowBytes() / whole.shape.rowElems() : whole.rowBytes();
    if (whole.decoder || whole.side) return splitPacked(whole, parts);
    uint64_t first = 0;
    for (const Part& part : parts) {
        const tensor::Shape shape =
            isVector ? tensor::Shape::of(part.rows) : tensor::Shape::of(whole.shape.rowElems(), part.rows);
        INGLE_TRY(addTensor(model, whole.data, part.name, shape, *whole.format, first * unit));
        first += part.rows;
    }
    if (first * unit != whole.data.size())
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} has not the {} rows of its parts",
                    shown(name), whole.shape.text(), first);
    return {};
}

Status Translation::splitPacked(const tensor::Tensor& whole, std::span<const Part> parts) {
    const auto of = std::make_shared<const tensor::Tensor>(whole);
    uint64_t first = 0;
    for (const Part& part : parts) {
        if (part.rows == 0 || part.rows > whole.shape.numRows() - first) break;
        INGLE_TRY_ASSIGN(tensor::Tensor made, rowsOf(of, first, part.rows));
        made.name = part.name;
        INGLE_TRY(addTensor(model, std::move(made)));
        first += part.rows;
    }
    if (first != whole.shape.numRows())
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} has not the rows of its {} parts",
                    whole.name, whole.shape.text(), parts.size());
    return {};
}

Status Translation::splitFused(const Architecture& architecture) {
    const auto sizeOf = [&](std::string_view key) {
        return model.metadata.u32Or(fmt::format("{}.{}", m_family, key), 0);
    };
    constexpr std::string_view kQkv = ".attn_qkv.weight", kUp = ".ffn_up.weight";
    std::vector<std::string> fused;
    for (const auto& [name, tensor] : model.tensors) {
        const bool isPacked = tensor.decoder || tensor.side;
        const bool isQkv = name.ends_with(kQkv) && !architecture.fusesByHead;
        if (isPacked && (isQkv || name.ends_with(kUp))) fused.push_back(name);
    }
    if (fused.empty()) return {};
    INGLE_TRY_ASSIGN(const uint64_t heads, sizeOf("attention.head_count"));
    INGLE_TRY_ASSIGN(const uint64_t headDim, sizeOf("attention.key_length"));
    for (const std::string& name : fused) {
        const uint64_t rows = model.find(name)->shape.numRows();
        if (name.ends_with(kQkv)) {
            const std::string block = name.substr(0, name.size() - kQkv.size());
            // A delta net's is one matrix.
            if (rows <= heads * headDim || model.find(block + ".ssm_conv1d.weight")) continue;
            const uint64_t keys = (rows - heads * headDim) / 2;
            const Part parts[] = {{block + ".attn_q.weight", heads * headDim},
                                  {block + ".attn_k.weight", keys},
                                  {block + ".attn_v.weight", keys}};
            INGLE_TRY(split(name, parts));
            continue;
        }
        const std::string block = name.substr(0, name.size() - kUp.size());
        if (model.find(block + ".ffn_gate.weight")) continue;
        const Part parts[] = {{block + ".ffn_gate.weight", rows / 2}, {name, rows - rows / 2}};
        INGLE_TRY_ASSIGN(const uint32_t width, sizeOf("feed_forward_length"));
        if (rows == 2 * uint64_t{width}) INGLE_TRY(split(name, parts));
    }
    return {};
}

Status Translation::addToStack(const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(tensor::Tensor tensor, tensorOf(stored, place.name, shape));
    if (place.numbers.empty() || shape.numMatrices() != 1)
        return fail(ErrorCode::Corrupt, "tensor '{}' is none of several matrices", shown(stored.name));
    m_stacks[place.name].try_emplace(place.numbers.back(), std::move(tensor));
    return {};
}

Status Translation::finishStacks() {
    for (auto& [name, matrices] : m_stacks) {
        const tensor::Tensor& first = matrices.begin()->second;
        tensor::Tensor stack = first;
        const bool areVectors = first.shape.numRows() == 1;
        stack.shape.dims[areVectors ? 1 : 2] = matrices.size();
        auto table = std::make_shared<tensor::RowTable>();
        table->rowsPerRun = first.shape.numRows();
        for (const auto& [number, matrix] : matrices) {
            if (number != table->runs.size())
                return fail(ErrorCode::Corrupt, "of the matrices of '{}', number {} is missing", shown(name),
                            table->runs.size());
            if (matrix.shape != first.shape || matrix.format != first.format)
                return fail(ErrorCode::Corrupt, "the matrices of '{}' differ: {} of {} and {} of {}",
                            shown(name), first.format->name, first.shape.text(), matrix.format->name,
                            matrix.shape.text());
            table->runs.push_back(matrix.data.data());
        }
        INGLE_TRY(tensor::checkedBytes(stack.shape, *stack.format));
        if (first.decoder || first.side) {
            std::vector<tensor::RowRange> ranges;
            for (const auto& [number, matrix] : matrices)
                ranges.push_back({std::make_shared<const tensor::Tensor>(matrix), 0, matrix.shape.numRows()});
            INGLE_TRY_ASSIGN(const tensor::Tensor joined, tensor::joinRows(std::move(ranges)));
            stack.side = joined.side;
            if (first.decoder) {
                stack.decoder = joined.decoder;
                INGLE_TRY(addTensor(model, stack));
                continue;
            }
        }
        // Lie they all at one distance, they are read where they lie.
        const auto& runs = table->runs;
        const auto distance = [&](size_t i) {
            return reinterpret_cast<uintptr_t>(runs[i]) - reinterpret_cast<uintptr_t>(runs[i - 1]);
        };
        bool isEven = runs.size() < 2 || (runs[1] > runs[0] && distance(1) >= first.data.size());
        for (size_t i = 2; i < runs.size() && isEven; ++i) isEven = distance(i) == distance(1);
        const bool isInOneFile = std::ranges::any_of(model.mappings, [&](const auto& mapping) {
            const auto bytes = mapping->bytes();
            return runs.front() >= bytes.data() && runs.back() < bytes.data() + bytes.size();
        });
        if (isEven && isInOneFile && !areVectors) {
            stack.matrixStride = runs.size() < 2 ? 0 : distance(1);
            stack.data = {runs.front(), stack.extent()};
        } else {
            stack.data = {};
            stack.table = std::move(table);
        }
        if (!model.tensors.try_emplace(name, stack).second)
            return fail(ErrorCode::Corrupt, "tensor '{}' occurs twice", shown(name));
    }
    m_stacks.clear();
    return {};
}

Result<std::vector<float>> Translation::numbersOf(const StoredTensor& stored) const {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(const tensor::Tensor tensor, tensorOf(stored, stored.name, shape));
    std::vector<float> numbers(shape.numElems());
    const uint64_t width = shape.rowElems();
    for (uint64_t row = 0; row < shape.numRows(); ++row)
        tensor.decodeRow(row, std::span(numbers).subspan(row * width, width));
    return numbers;
}

Status Translation::translate(const Checkpoint& checkpoint, const Architecture& architecture) {
    INGLE_TRY_ASSIGN(const uint32_t numPredicting, config.u32Or("num_nextn_predict_layers", 0, 0));
    INGLE_TRY_ASSIGN(const uint32_t numLayers, config.u32Or("num_hidden_layers", UINT32_MAX));
    for (const auto& entry : checkpoint.tensors) {
        const std::string& name = entry.first;
        const StoredTensor& stored = entry.second;
        const bool isIgnored = std::ranges::any_of(
            architecture.ignored, [&](std::string_view prefix) { return name.starts_with(prefix); });
        if (isIgnored) continue;
        NumberedName own = numbered(textName(name));
        // Layers behind the last one predict further tokens.
        if (numPredicting > 0 && own.pattern.starts_with("model.layers.#.") &&
            own.numbers.front() >= numLayers)
            continue;
        const TensorRule* rule = findRule(architecture, own.pattern);
        if (!rule)
            return fail(ErrorCode::Unsupported, "{} has no use for the tensor '{}'", architecture.name,
                        shown(name));
        if (rule->to.empty()) continue;
        const Place place = placeOf(*rule, std::move(own.numbers));
        INGLE_TRY(rule->change ? rule->change(*this, stored, place) : this->place(stored, place.name));
    }
    INGLE_TRY(finishStacks());
    return splitFused(architecture);
}

Status Translation::run(const Checkpoint& checkpoint, const Architecture& architecture) {
    INGLE_TRY(translate(checkpoint, architecture));
    if (architecture.finish) INGLE_TRY(architecture.finish(*this));
    INGLE_TRY_ASSIGN(const bool isShared, config.boolOr("tie_word_embeddings", architecture.sharesEmbedding));
    if (isShared) model.tensors.erase("output.weight");
    if (!model.find("token_embd.weight")) return fail(ErrorCode::Corrupt, "it has no table of tokens");
    setCount("vocab_size", numTokens());
    return {};
}

Status Translation::runVision(const Checkpoint& checkpoint, const Architecture& architecture) {
    // Files of different years have these levels, or have them not.
    constexpr std::string_view kOuter = "model.", kLevel = ".vision_model.", kTower = "vision_model.";
    const VisionPart& part = *architecture.vision;
    const auto parts = part.parts.empty() ? architecture.ignored : part.parts;
    for (const auto& entry : checkpoint.tensors) {
        const std::string& name = entry.first;
        const StoredTensor& stored = entry.second;
        const bool isOfVision =
            std::ranges::any_of(parts, [&](std::string_view prefix) { return name.starts_with(prefix); });
        if (!isOfVision) continue;
        std::string inner = name.starts_with(kOuter) ? name.substr(kOuter.size()) : name;
        if (const size_t at = inner.find(kLevel); at != inner.npos) inner.erase(at + 1, kLevel.size() - 1);
        if (inner.starts_with(kTower)) inner.replace(0, kTower.size(), "vision_tower.");
        NumberedName own = numbered(inner);
        const TensorRule* rule = findRule(part, own.pattern);
        if (!rule)
            return fail(ErrorCode::Unsupported, "{} has no use for the tensor '{}'", architecture.name,
                        shown(name));
        if (rule->to.empty()) continue;
        const Place place = placeOf(*rule, std::move(own.numbers));
        INGLE_TRY(rule->change ? rule->change(*this, stored, place) : this->place(stored, place.name));
    }
    return {};
}

uint64_t Translation::numTokens() const {
    return model.find("token_embd.weight")->shape.dims[1];
}

Status addOne(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(auto numbers, translation.numbersOf(stored));
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    for (float& number : numbers) number += 1;
    return translation.make(place.name, shape, numbers);
}

Status stackExpert(Translation& translation, const StoredTensor& stored, const Place& place) {
    return translation.addToStack(stored, place);
}

Status negatedExponential(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(auto numbers, translation.numbersOf(stored));
    for (float& number : numbers) number = -std::exp(number);
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    const bool isVector = shape.numRows() == 1;
    return translation.make(place.name, isVector ? tensor::Shape::of(1, numbers.size()) : shape, numbers);
}

Status asColumn(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    if (shape.numRows() != 1)
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} is no vector", shown(stored.name),
                    shape.text());
    return translation.place(stored, place.name, tensor::Shape::of(1, shape.rowElems()));
}

Status asVector(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    return translation.place(stored, place.name, tensor::Shape::of(shape.numElems()));
}

Status inGroups(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(const uint32_t groups, translation.model.metadata.u32Or(
                                                fmt::format("{}.ssm.group_count", translation.family()), 1));
    if (shape.numRows() != 1 || groups == 0 || shape.rowElems() % groups != 0)
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} does not hold {} groups", shown(stored.name),
                    shape.text(), groups);
    return translation.place(stored, place.name, tensor::Shape::of(shape.rowElems() / groups, groups));
}

Status splitGateUp(Translation& translation, const StoredTensor& stored, const Place& place) {
    const auto named = [&](std::string_view part) {
        std::string name = place.name;
        return name.replace(name.find('*'), 1, part);
    };
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(tensor::Tensor whole, translation.tensorOf(stored, named("gate_up"), shape));
    if (whole.decoder || whole.side || whole.table || shape.dims[1] % 2 != 0)
        return addTensor(translation.model, std::move(whole));
    const uint64_t rows = shape.dims[1] / 2;
    for (const bool isUp : {false, true}) {
        tensor::Tensor part = whole;
        part.name = named(isUp ? "up" : "gate");
        part.shape.dims[1] = rows;
        part.rowStride = whole.rowStep();
        part.matrixStride = whole.matrixStep();
        part.data = whole.data.subspan(isUp ? rows * whole.rowStep() : 0, part.extent());
        INGLE_TRY(addTensor(translation.model, std::move(part)));
    }
    return {};
}

Status squeezed(Translation& translation, const StoredTensor& stored, const Place& place) {
    StoredTensor small = stored;
    std::erase(small.dims, 1U);
    return translation.place(small, place.name);
}

}  // namespace ingle::formats
