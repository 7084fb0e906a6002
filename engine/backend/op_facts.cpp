#include "engine/backend/op_facts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/backend/chunk_state.h"
#include "engine/backend/plan.h"

namespace ingle::backend {
namespace {

using enum OpCode;

constexpr RowScope kRow = RowScope::Own;
constexpr RowScope kStep = RowScope::Step;

constexpr Arity kNone{0, 0};
constexpr Arity kOne{1, 1};
constexpr Arity kTwo{2, 2};
constexpr Arity kThree{3, 3};
constexpr Arity kMany{1, UINT8_MAX};

template <typename... Args>
tl::unexpected<Error> misfit(fmt::format_string<Args...> text, Args&&... args) {
    return fail(ErrorCode::InvalidArgument, text, std::forward<Args>(args)...);
}

template <typename Params>
bool takes(const OpParams& params) {
    return std::holds_alternative<Params>(params);
}

template <typename Params>
const Params& paramsOf(const OpCall& call) {
    return std::get<Params>(call.params);
}

Status checkArity(std::string_view what, size_t count, const Arity& arity) {
    if (count >= arity.least && count <= arity.most) return {};
    const std::string wanted = arity.least == arity.most ? fmt::format("{}", arity.least)
                                                         : fmt::format("{} to {}", arity.least, arity.most);
    return misfit("{} {} where {} are needed", count, what, wanted);
}

Status needWidth(const OpCall& call, size_t input, uint64_t wanted) {
    const auto& [name, width] = call.inputs[input];
    if (width == wanted) return {};
    return misfit("\"{}\" is {} wide where {} are needed", name, width, wanted);
}

/// A weight that is read as a vector, whatever its shape.
Status needElems(const OpCall& call, size_t weight, uint64_t wanted) {
    const tensor::Tensor& tensor = *call.weights[weight];
    if (tensor.shape.numElems() == wanted) return {};
    return misfit("the weight \"{}\" has shape {} where {} numbers are needed", tensor.name,
                  tensor.shape.text(), wanted);
}

/// A matrix of `in` columns, or several of them, one behind the other along dimension 2.
Status needMatrix(const OpCall& call, size_t weight, uint64_t in, uint64_t count = 1) {
    const tensor::Tensor& tensor = *call.weights[weight];
    const auto& [numIn, numOut, numMatrices, more] = tensor.shape.dims;
    if (numIn == in && numMatrices == count && more == 1 && numOut <= UINT32_MAX) return {};
    return misfit("the weight \"{}\" has shape {}, but \"{}\" is {} wide{}", tensor.name, tensor.shape.text(),
                  call.inputs[0].name, in, count > 1 ? fmt::format(", for each of {} experts", count) : "");
}

Status needSameWidths(const OpCall& call) {
    for (size_t i = 1; i < call.inputs.size(); ++i) INGLE_TRY(needWidth(call, i, call.inputs[0].width));
    return {};
}

Status needHeads(const OpCall& call, uint64_t numHeads, uint64_t headDim) {
    for (const auto& [name, width] : call.inputs) {
        if (width != numHeads * headDim)
            return misfit("\"{}\" is {} wide, but {} heads of {} are {}", name, width, numHeads, headDim,
                          numHeads * headDim);
    }
    return {};
}

Result<Widths> sameAsInput(const OpCall& call) {
    INGLE_TRY(needSameWidths(call));
    return Widths{call.inputs[0].width};
}

Result<Widths> embed(const OpCall& call) {
    const tensor::Tensor& table = *call.weights[0];
    const auto& dims = table.shape.dims;
    if (dims[0] <= UINT32_MAX && dims[1] <= UINT32_MAX && dims[2] == 1 && dims[3] == 1)
        return Widths{static_cast<uint32_t>(dims[0])};
    return misfit("the weight \"{}\" has shape {} where a matrix is needed", table.name, table.shape.text());
}

Result<Widths> inputRows(const OpCall& call) {
    const uint32_t width = paramsOf<InputRowsParams>(call).width;
    if (width == 0) return misfit("rows of no width");
    return Widths{width};
}

Result<Widths> elsewhere(const OpCall& call) {
    const uint32_t width = paramsOf<ElsewhereParams>(call).width;
    if (width == 0) return misfit("rows of no width");
    return Widths{width};
}

Result<Widths> pictureRows(const OpCall& call) {
    const auto& params = paramsOf<PictureRowsParams>(call);
    const auto& [name, width] = call.inputs[0];
    if (uint64_t{params.first} + width > params.width)
        return misfit("\"{}\" is {} wide, and a picture's rows of {} end before column {}", name, width,
                      params.width, uint64_t{params.first} + width);
    return Widths{width};
}

/// Of each of `groups` equal parts of a row.
Result<uint32_t> partWidth(const OpCall::Input& input, uint32_t groups) {
    if (groups > 0 && input.width % groups == 0) return input.width / groups;
    return misfit("\"{}\" is {} wide, which makes no {} equal parts", input.name, input.width, groups);
}

/// Norms of each of `groups` equal parts, with weights as long as a row.
Result<Widths> norm(const OpCall& call) {
    const uint32_t width = call.inputs[0].width;
    INGLE_TRY(partWidth(call.inputs[0], paramsOf<NormParams>(call).groups));
    for (size_t i = 0; i < call.weights.size(); ++i) INGLE_TRY(needElems(call, i, width));
    return Widths{width};
}

/// With one gain for all parts, one for each, or none.
Result<Widths> rmsNorm(const OpCall& call) {
    const uint32_t groups = paramsOf<NormParams>(call).groups;
    const uint32_t width = call.inputs[0].width;
    INGLE_TRY_ASSIGN(const uint32_t part, partWidth(call.inputs[0], groups));
    const bool isRowLong = !call.weights.empty() && call.weights[0]->shape.numElems() == width;
    if (!call.weights.empty() && !isRowLong) INGLE_TRY(needElems(call, 0, part));
    return Widths{width};
}

Result<Widths> linear(const OpCall& call) {
    Widths widths;
    for (const LinearPart& part : paramsOf<LinearParams>(call).parts) {
        const uint32_t last = std::max(part.matrix, part.bias.value_or(0));
        if (last >= call.weights.size()) return misfit("it reads weight {} of {}", last, call.weights.size());
        INGLE_TRY(needMatrix(call, part.matrix, call.inputs[0].width));
        widths.push_back(static_cast<uint32_t>(call.weights[part.matrix]->shape.dims[1]));
        if (part.bias) INGLE_TRY(needElems(call, *part.bias, widths.back()));
    }
    return widths;
}

Result<Widths> routeExperts(const OpCall& call) {
    const auto& params = paramsOf<RouteParams>(call);
    const kernels::RouteRule& rule = params.rule;
    const auto& [name, numExperts] = call.inputs[0];
    if (rule.groups == 0 || numExperts % rule.groups != 0)
        return misfit("\"{}\" is {} wide, which makes no {} groups", name, numExperts, rule.groups);
    if (rule.groupsUsed == 0 || rule.groupsUsed > rule.groups)
        return misfit("{} of {} groups of experts cannot be used", rule.groupsUsed, rule.groups);
    const uint32_t open = numExperts / rule.groups * rule.groupsUsed;
    if (rule.numUsed == 0 || rule.numUsed > open)
        return misfit("\"{}\" is {} wide, of which {} are open, but {} experts are used", name, numExperts,
                      open, rule.numUsed);
    for (const std::optional<uint32_t> weight : {params.choiceBias, params.expertScale}) {
        if (!weight) continue;
        if (*weight >= call.weights.size())
            return misfit("it reads weight {} of {}", *weight, call.weights.size());
        INGLE_TRY(needElems(call, *weight, numExperts));
    }
    return Widths{2 * rule.numUsed};
}

/// Experts that a routing row, the second input, names.
Result<uint32_t> numUsedExperts(const OpCall& call) {
    const auto& [name, width] = call.inputs[1];
    if (width % 2 == 0) return width / 2;
    return misfit("\"{}\" is {} wide, which is no ids and shares", name, width);
}

Result<Widths> expertLinear(const OpCall& call) {
    INGLE_TRY_ASSIGN(const uint64_t numUsed, numUsedExperts(call));
    const uint64_t width = call.inputs[0].width;
    const auto& dims = call.weights[0]->shape.dims;
    if (numUsed > dims[2])
        return misfit("\"{}\" names {} experts of {}", call.inputs[1].name, numUsed, dims[2]);
    // Each row as it is, or a part of it for each of its experts.
    const bool inParts = numUsed * dims[0] == width;
    INGLE_TRY(needMatrix(call, 0, inParts ? width / numUsed : width, dims[2]));
    if (call.weights.size() > 1) INGLE_TRY(needElems(call, 1, dims[1] * dims[2]));
    if (numUsed * dims[1] > UINT32_MAX) return misfit("{} parts of {} are too wide", numUsed, dims[1]);
    return Widths{static_cast<uint32_t>(numUsed * dims[1])};
}

Result<Widths> expertSum(const OpCall& call) {
    INGLE_TRY_ASSIGN(const uint32_t numUsed, numUsedExperts(call));
    const auto& [name, width] = call.inputs[0];
    if (width % numUsed != 0)
        return misfit("\"{}\" is {} wide, which makes no {} equal parts", name, width, numUsed);
    return Widths{width / numUsed};
}

Result<Widths> expertScale(const OpCall& call) {
    INGLE_TRY(expertSum(call));
    return Widths{call.inputs[0].width};
}

Result<Widths> positionScale(const OpCall& call) {
    if (paramsOf<PositionScaleParams>(call).n == 0) return misfit("there are no steps of 0 positions");
    return Widths{call.inputs[0].width};
}

Result<Widths> rope(const OpCall& call) {
    const auto& params = paramsOf<RopeParams>(call);
    INGLE_TRY(needHeads(call, params.numHeads, params.headDim));
    if (2 * params.frequencies.size() > params.headDim)
        return misfit("\"{}\" has heads of {}, in which there are no {} pairs", call.inputs[0].name,
                      params.headDim, params.frequencies.size());
    if (!params.axes.empty() && params.axes.size() != params.frequencies.size())
        return misfit("{} pairs have {} axes", params.frequencies.size(), params.axes.size());
    if (std::ranges::any_of(params.axes, [](uint8_t axis) { return axis >= std::tuple_size_v<Coordinates>; }))
        return misfit("an axis that positions do not have");
    return Widths{call.inputs[0].width};
}

Result<Widths> slice(const OpCall& call) {
    const auto& [groups, first, count] = paramsOf<SliceParams>(call);
    INGLE_TRY_ASSIGN(const uint32_t part, partWidth(call.inputs[0], groups));
    if (count == 0 || uint64_t{first} + count > part)
        return misfit("\"{}\" has parts of {}, in which there are no {} from {}", call.inputs[0].name, part,
                      count, first);
    return Widths{groups * count};
}

Result<Widths> concat(const OpCall& call) {
    uint64_t width = 0;
    for (const OpCall::Input& input : call.inputs) {
        INGLE_TRY(partWidth(input, paramsOf<ConcatParams>(call).groups));
        width += input.width;
    }
    if (width > UINT32_MAX) return misfit("{} are too wide", width);
    return Widths{static_cast<uint32_t>(width)};
}

Result<Widths> kvAppend(const OpCall&) {
    return Widths{};
}

Result<Widths> attention(const OpCall& call) {
    const auto& params = paramsOf<AttentionParams>(call);
    const std::string_view name = call.inputs[0].name;
    INGLE_TRY(needHeads(call, params.numHeads, params.keyDim));
    if (params.numKvHeads == 0 || params.numHeads % params.numKvHeads != 0)
        return misfit("\"{}\" has {} heads, which cannot share {} of keys and values", name, params.numHeads,
                      params.numKvHeads);
    const uint64_t width = uint64_t{params.numHeads} * params.valueDim;
    if (width == 0 || width > UINT32_MAX)
        return misfit("\"{}\" has {} heads, whose values cannot be {} wide", name, params.numHeads,
                      params.valueDim);
    if (params.window > 0 && params.chunk > 0)
        return misfit("a window of {} and chunks of {} at once", params.window, params.chunk);
    if ((params.mask == Mask::Prefix && params.window > 0) ||
        (params.mask != Mask::Causal && params.mask != Mask::Full && params.chunk > 0))
        return misfit("{} {} where later tokens are seen", params.window > 0 ? "a window of" : "chunks of",
                      std::max(params.window, params.chunk));
    if (!(params.softCap >= 0) || !std::isfinite(params.softCap))
        return misfit("scores cannot be capped at {}", params.softCap);
    if (!params.alibiSlopes.empty() && params.alibiSlopes.size() != params.numHeads)
        return misfit("\"{}\" has {} heads, but there are {} slopes", name, params.numHeads,
                      params.alibiSlopes.size());
    INGLE_TRY(checkArity("weights", call.weights.size(), params.hasSinks ? kOne : kNone));
    if (params.hasSinks) INGLE_TRY(needElems(call, 0, params.numHeads));
    return Widths{static_cast<uint32_t>(width)};
}

Result<Widths> headLinear(const OpCall& call) {
    const auto& params = paramsOf<HeadLinearParams>(call);
    const tensor::Tensor& matrices = *call.weights[0];
    const auto& shape = matrices.shape;
    const uint64_t perHead = params.numHeads > 0 ? shape.numRows() / params.numHeads : 0;
    if (perHead * params.numHeads != shape.numRows() || params.numRows == 0 ||
        uint64_t{params.firstRow} + params.numRows > perHead)
        return misfit("the weight \"{}\" has shape {}, in which {} heads have no rows {} to {}",
                      matrices.name, shape.text(), params.numHeads, params.firstRow,
                      uint64_t{params.firstRow} + params.numRows);
    const uint64_t in = params.turned ? params.numRows : shape.rowElems();
    const uint64_t out = params.turned ? shape.rowElems() : params.numRows;
    INGLE_TRY(needHeads(call, params.numHeads, in));
    if (params.numHeads * out > UINT32_MAX)
        return misfit("{} heads of {} are too wide", params.numHeads, out);
    return Widths{static_cast<uint32_t>(params.numHeads * out)};
}

Result<Widths> lerp(const OpCall& call) {
    INGLE_TRY(needSameWidths(call));
    if (call.inputs.size() == 2 && call.weights.empty())
        return misfit("nothing says how far from \"{}\" to \"{}\"", call.inputs[0].name, call.inputs[1].name);
    for (size_t i = 0; i < call.weights.size(); ++i) INGLE_TRY(needElems(call, i, call.inputs[0].width));
    return Widths{call.inputs[0].width};
}

/// Inputs of whole heads, and weights of a row.
Result<Widths> recurrence(const OpCall& call) {
    const auto& params = paramsOf<WkvParams>(call);
    INGLE_TRY(needHeads(call, params.numHeads, params.headSize));
    for (size_t i = 0; i < call.weights.size(); ++i) INGLE_TRY(needElems(call, i, call.inputs[0].width));
    return Widths{call.inputs[0].width};
}

Result<Widths> wkv5(const OpCall& call) {
    const auto& params = paramsOf<WkvParams>(call);
    INGLE_TRY(needHeads(call, params.numHeads, params.headSize));
    if (call.inputs.size() + call.weights.size() != 5)
        return misfit("one decay is needed, an input or a weight, not {}",
                      call.inputs.size() + call.weights.size() - 4);
    for (size_t i = 0; i < call.weights.size(); ++i) {
        // One number for each head will do.
        if (call.weights[i]->shape.numElems() != params.numHeads)
            INGLE_TRY(needElems(call, i, call.inputs[0].width));
    }
    return Widths{call.inputs[0].width};
}

Result<Widths> shortConv(const OpCall& call) {
    const uint32_t kernel = paramsOf<ShortConvParams>(call).kernel;
    const uint32_t width = call.inputs[0].width;
    if (kernel == 0) return misfit("0 rows cannot make one");
    INGLE_TRY(needElems(call, 0, uint64_t{kernel} * width));
    if (call.weights.size() > 1) INGLE_TRY(needElems(call, 1, width));
    return Widths{width};
}

/// That `heads` share `groups` evenly.
Status needShares(uint32_t heads, uint32_t groups) {
    if (groups > 0 && heads > 0 && heads % groups == 0) return {};
    return misfit("{} heads cannot share {}", heads, groups);
}

Result<Widths> gatedDelta(const OpCall& call) {
    const auto& params = paramsOf<GatedDeltaParams>(call);
    INGLE_TRY(needShares(params.numValueHeads, params.numKeyHeads));
    const uint64_t keys = uint64_t{params.numKeyHeads} * params.keyDim;
    const uint64_t values = uint64_t{params.numValueHeads} * params.valueDim;
    size_t input = 0;
    for (const uint64_t wanted :
         {keys, keys, values, uint64_t{params.numValueHeads}, uint64_t{params.numValueHeads}})
        INGLE_TRY(needWidth(call, input++, wanted));
    for (size_t i = 0; i < call.weights.size(); ++i) INGLE_TRY(needElems(call, i, params.numValueHeads));
    return Widths{call.inputs[2].width};
}

Result<Widths> mambaScan(const OpCall& call) {
    const auto& params = paramsOf<MambaScanParams>(call);
    INGLE_TRY(needShares(params.numHeads, params.groups));
    const uint64_t states = uint64_t{params.groups} * params.stateSize;
    size_t input = 0;
    for (const uint64_t wanted :
         {uint64_t{params.numHeads} * params.headSize, states, states, uint64_t{params.numHeads}})
        INGLE_TRY(needWidth(call, input++, wanted));
    for (size_t i = 0; i < call.weights.size(); ++i) INGLE_TRY(needElems(call, i, params.numHeads));
    return Widths{call.inputs[0].width};
}

Result<Widths> clamp(const OpCall& call) {
    const auto& [low, high] = paramsOf<ClampParams>(call);
    if (!(low <= high)) return misfit("nothing lies between {} and {}", low, high);
    return Widths{call.inputs[0].width};
}

Result<Widths> scaleParts(const OpCall& call) {
    INGLE_TRY(partWidth(call.inputs[0], call.inputs[1].width));
    return Widths{call.inputs[0].width};
}

Result<Widths> channelScan(const OpCall& call) {
    const uint64_t width = call.inputs[0].width;
    const uint64_t stateSize = paramsOf<ChannelScanParams>(call).stateSize;
    INGLE_TRY(needWidth(call, 1, stateSize));
    INGLE_TRY(needWidth(call, 2, stateSize));
    INGLE_TRY(needWidth(call, 3, width));
    INGLE_TRY(needElems(call, 0, width * stateSize));
    for (size_t i = 1; i < call.weights.size(); ++i) INGLE_TRY(needElems(call, i, width));
    return Widths{call.inputs[0].width};
}

Result<Widths> channelDelta(const OpCall& call) {
    const auto& params = paramsOf<ChannelDeltaParams>(call);
    const uint64_t keys = uint64_t{params.numHeads} * params.keyDim;
    const uint64_t values = uint64_t{params.numHeads} * params.valueDim;
    size_t input = 0;
    for (const uint64_t wanted : {keys, keys, values, keys, uint64_t{params.numHeads}})
        INGLE_TRY(needWidth(call, input++, wanted));
    INGLE_TRY(needElems(call, 0, params.numHeads));
    INGLE_TRY(needElems(call, 1, keys));
    if (!(params.lowest <= 0)) return misfit("decays cannot be above 1, as with {}", params.lowest);
    return Widths{call.inputs[2].width};
}

Status noMemory(const OpCall&, const MemorySpec&) {
    return {};
}

/// Layer `layer` of the cache, for rows of these widths.
Status needCache(const MemorySpec& memory, uint32_t layer, uint64_t keys, uint64_t values) {
    if (layer >= memory.kv.size())
        return misfit("there is no layer {} in a cache of {}", layer, memory.kv.size());
    const KvLayerSpec& kept = memory.kv[layer];
    if (keys == kept.keyElems && values == kept.valueElems) return {};
    return misfit("its keys and values are {} and {} wide, but layer {} of the cache keeps {} and {}", keys,
                  values, layer, kept.keyElems, kept.valueElems);
}

/// `count` states from `first` on, of `elems` numbers each.
Status needStates(const MemorySpec& memory, uint64_t first, uint64_t count, uint64_t elems) {
    if (first + count > memory.states.size())
        return misfit("there is no state {} among {}", first + count - 1, memory.states.size());
    for (uint64_t i = first; i < first + count; ++i) {
        const StateSpec& state = memory.states[i];
        if (state.elems != elems)
            return misfit("it keeps {} numbers, but the state \"{}\" has {}", elems, state.name, state.elems);
    }
    return {};
}

/// State `index` in chunks, of `fixed` numbers and a ring of rows.
Status needRows(const MemorySpec& memory, uint32_t index, uint64_t fixed, uint64_t rows, uint64_t rowElems) {
    INGLE_TRY(needStates(memory, index, 1, fixed + rows * rowElems));
    const StateSpec& state = memory.states[index];
    const ChunkRing ring = state.ring.value_or(ChunkRing{});
    if (ring.numRows == rows && ring.rowElems == rowElems) return {};
    return misfit("it keeps {} rows of {} numbers, but the state \"{}\" has {} of {}", rows, rowElems,
                  state.name, ring.numRows, ring.rowElems);
}

Status appendedCache(const OpCall& call, const MemorySpec& memory) {
    return needCache(memory, paramsOf<CacheParams>(call).layer, call.inputs[0].width,
                     call.inputs.size() > 1 ? call.inputs[1].width : 0);
}

Status attendedCache(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<AttentionParams>(call);
    const bool inKeys = params.layer < memory.kv.size() && memory.kv[params.layer].valueElems == 0 &&
                        params.numKvHeads == 1 && params.valueDim <= params.keyDim;
    INGLE_TRY(needCache(memory, params.layer, uint64_t{params.numKvHeads} * params.keyDim,
                        inKeys ? 0 : uint64_t{params.numKvHeads} * params.valueDim));
    const uint32_t kept = memory.kv[params.layer].window;
    const uint32_t seen = std::max(params.window, params.chunk);
    if (kept == 0 || (seen > 0 && seen <= kept)) return {};
    return misfit("it sees {}, but layer {} of the cache keeps {} tokens",
                  seen > 0 ? fmt::format("{} tokens", seen) : "all tokens", params.layer, kept);
}

Status lastRow(const OpCall& call, const MemorySpec& memory) {
    return needStates(memory, paramsOf<StateParams>(call).state, 1, call.inputs[0].width);
}

Status channelSums(const OpCall& call, const MemorySpec& memory) {
    return needStates(memory, paramsOf<WkvParams>(call).state, 3, call.inputs[0].width);
}

Status headMatrices(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<WkvParams>(call);
    return needStates(memory, params.state, 1, uint64_t{params.numHeads} * params.headSize * params.headSize);
}

Status rowsBefore(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<ShortConvParams>(call);
    return needRows(memory, params.state, 0, ringRows(params), call.inputs[0].width);
}

Status deltaMatrices(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<GatedDeltaParams>(call);
    const ChunkLayout layout = layoutOf(params);
    return needRows(memory, params.state, layout.rowsAt(), kChunkTokens, layout.rowElems());
}

Status scannedStates(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<MambaScanParams>(call);
    const ChunkLayout layout = layoutOf(params);
    return needRows(memory, params.state, layout.rowsAt(), kChunkTokens, layout.rowElems());
}

Status channelStates(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<ChannelScanParams>(call);
    return needStates(memory, params.state, 1, uint64_t{call.inputs[0].width} * params.stateSize);
}

Status channelMatrices(const OpCall& call, const MemorySpec& memory) {
    const auto& params = paramsOf<ChannelDeltaParams>(call);
    return needStates(memory, params.state, 1, uint64_t{params.numHeads} * params.keyDim * params.valueDim);
}

// clang-format off
constexpr std::array<OpFacts, kNumOpCodes> kFacts{{
    //code             name             scope  inputs  weights  params                   output widths  memory
    {Embed,           "embed",         kStep, kNone,  kOne,    takes<std::monostate>,   embed,         noMemory},
    {RmsNorm,         "rms_norm",      kRow,  kOne,   {0, 1},  takes<NormParams>,       rmsNorm,       noMemory},
    {LayerNorm,       "layer_norm",    kRow,  kOne,   kTwo,    takes<NormParams>,       norm,          noMemory},
    {GroupNorm,       "group_norm",    kRow,  kOne,   {1, 2},  takes<NormParams>,       norm,          noMemory},
    {L2Norm,          "l2_norm",       kRow,  kOne,   kOne,    takes<NormParams>,       norm,          noMemory},
    {Linear,          "linear",        kRow,  kOne,   kMany,   takes<LinearParams>,     linear,        noMemory},
    {RouteExperts,    "route_experts", kRow,  kOne,   {0, 2},  takes<RouteParams>,      routeExperts,  noMemory},
    {ExpertLinear,    "expert_linear", kRow,  kTwo,   {1, 2},  takes<std::monostate>,   expertLinear,  noMemory},
    {ExpertSum,       "expert_sum",    kRow,  kTwo,   kNone,   takes<std::monostate>,   expertSum,     noMemory},
    {Rope,            "rope",          kStep, kOne,   kNone,   takes<RopeParams>,       rope,          noMemory},
    {KvAppend,        "kv_append",     kStep, {1, 2}, kNone,   takes<CacheParams>,      kvAppend,      appendedCache},
    {Attention,       "attention",     kStep, kOne,   {0, 1},  takes<AttentionParams>,  attention,     attendedCache},
    {HeadLinear,      "head_linear",   kRow,  kOne,   kOne,    takes<HeadLinearParams>, headLinear,    noMemory},
    {Add,             "add",           kRow,  kTwo,   kNone,   takes<std::monostate>,   sameAsInput,   noMemory},
    {Multiply,        "multiply",      kRow,  kTwo,   kNone,   takes<std::monostate>,   sameAsInput,   noMemory},
    {Scale,           "scale",         kRow,  kOne,   kNone,   takes<ScaleParams>,      sameAsInput,   noMemory},
    {Activation,      "activation",    kRow,  kOne,   kNone,   takes<ActivationParams>, sameAsInput,   noMemory},
    {GatedActivation, "gated",         kRow,  kTwo,   kNone,   takes<ActivationParams>, sameAsInput,   noMemory},
    {TokenShift,      "token_shift",   kStep, kOne,   kNone,   takes<StateParams>,      sameAsInput,   lastRow},
    {Lerp,            "lerp",          kRow,  {2, 3}, {0, 1},  takes<std::monostate>,   lerp,          noMemory},
    {Wkv4,            "wkv4",          kStep, kTwo,   kTwo,    takes<WkvParams>,        recurrence,    channelSums},
    {Wkv5,            "wkv5",          kStep, {3, 4}, {1, 2},  takes<WkvParams>,        wkv5,          headMatrices},
    {Wkv7,            "wkv7",          kStep, {6, 6}, kNone,   takes<WkvParams>,        recurrence,    headMatrices},
    {WkvBonus,        "wkv_bonus",     kRow,  kThree, kOne,    takes<WkvParams>,        recurrence,    noMemory},
    {SelectRows,      "select_rows",   kStep, kOne,   kNone,   takes<std::monostate>,   sameAsInput,   noMemory},
    {Slice,           "slice",         kRow,  kOne,   kNone,   takes<SliceParams>,      slice,         noMemory},
    {Concat,          "concat",        kRow,  kTwo,   kNone,   takes<ConcatParams>,     concat,        noMemory},
    {ShortConv,       "short_conv",    kStep, kOne,   {1, 2},  takes<ShortConvParams>,  shortConv,     rowsBefore},
    {GatedDelta,      "gated_delta",   kStep, {5, 5}, kTwo,    takes<GatedDeltaParams>, gatedDelta,    deltaMatrices},
    {MambaScan,       "mamba_scan",    kStep, {4, 4}, kThree,  takes<MambaScanParams>,  mambaScan,     scannedStates},
    {EmbedPosition,   "embed_position", kStep, kNone, kOne,    takes<std::monostate>,   embed,         noMemory},
    {PositionScale,   "position_scale", kStep, kOne,  kNone,   takes<PositionScaleParams>, positionScale, noMemory},
    {ExpertScale,     "expert_scale",  kRow,  kTwo,   kOne,    takes<std::monostate>,   expertScale,   noMemory},
    {ClampedGlu,      "clamped_glu",   kRow,  kTwo,   kNone,   takes<ClampedGluParams>, sameAsInput,   noMemory},
    {Clamp,           "clamp",         kRow,  kOne,   kNone,   takes<ClampParams>,      clamp,         noMemory},
    {ScaleParts,      "scale_parts",   kRow,  kTwo,   kNone,   takes<std::monostate>,   scaleParts,    noMemory},
    {ChannelScan,     "channel_scan",  kStep, {4, 4}, kThree,  takes<ChannelScanParams>, channelScan,  channelStates},
    {ChannelDelta,    "channel_delta", kStep, {5, 5}, kTwo,   takes<ChannelDeltaParams>, channelDelta, channelMatrices},
    {InputRows,       "input_rows",    kStep, kNone,  kNone,   takes<InputRowsParams>,  inputRows,     noMemory},
    {PictureRows,     "picture_rows",  kStep, kOne,   kNone,   takes<PictureRowsParams>, pictureRows,  noMemory},
    {Elsewhere,       "elsewhere",     kRow,  kMany,  kNone,   takes<ElsewhereParams>,  elsewhere,     noMemory},
}};
// clang-format on

constexpr bool inOrder() {
    for (uint32_t i = 0; i < kNumOpCodes; ++i) {
        if (static_cast<uint32_t>(kFacts[i].code) != i || kFacts[i].name.empty()) return false;
    }
    return true;
}
static_assert(inOrder(), "each OpCode needs a row in kFacts, in the same order");

/// "rope \"blk.0.q_rope\"", or what an op without results is given.
std::string subjectOf(const OpCall& call) {
    const std::string_view name = call.name.empty() && !call.inputs.empty() ? call.inputs[0].name : call.name;
    return name.empty() ? std::string(opName(call.code)) : fmt::format("{} \"{}\"", opName(call.code), name);
}

/// What is wrong with the call, after its name.
Error about(const OpCall& call, Error error) {
    error.message = fmt::format("{}: {}", subjectOf(call), error.message);
    return error;
}

Result<Widths> checkedWidths(const OpCall& call) {
    const OpFacts& facts = factsOf(call.code);
    INGLE_TRY(checkArity("inputs", call.inputs.size(), facts.inputs));
    INGLE_TRY(checkArity("weights", call.weights.size(), facts.weights));
    if (!facts.takes(call.params)) return misfit("its parameters are those of another op");
    for (const auto& [name, width] : call.inputs)
        if (width == 0) return misfit("\"{}\" is 0 wide", name);
    for (size_t i = 0; i < call.weights.size(); ++i)
        if (!call.weights[i]) return misfit("weight {} of {} is missing", i + 1, call.weights.size());
    return facts.outputWidths(call);
}

}  // namespace

const OpFacts& factsOf(OpCode code) {
    return kFacts[static_cast<size_t>(code)];
}

bool usesMemory(OpCode code) {
    return factsOf(code).checkMemory != noMemory;
}

Result<Widths> outputWidths(const OpCall& call) {
    Result<Widths> widths = checkedWidths(call);
    if (!widths) return tl::unexpected(about(call, std::move(widths).error()));
    return widths;
}

Status checkMemory(const Plan& plan, const MemorySpec& memory) {
    std::vector<OpCall::Input> inputs;
    for (const Op& op : plan.ops) {
        inputs.clear();
        for (const Operand& input : op.inputs) inputs.push_back({plan.values[input.value].name, input.width});
        const OpCall call{
            .code = op.code,
            .name = op.outputs.empty() ? std::string_view() : plan.values[op.outputs[0].value].name,
            .inputs = inputs,
            .weights = {},
            .params = op.params};
        const Status status = factsOf(op.code).checkMemory(call, memory);
        if (!status) return tl::unexpected(about(call, status.error()));
    }
    return {};
}

}  // namespace ingle::backend
