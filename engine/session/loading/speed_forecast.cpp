#include "engine/session/loading/speed_forecast.h"

#include <algorithm>

#include "engine/session/loading/model.h"

namespace ingle::session {

TokenReads tokenReads(const backend::Plan& plan, const backend::MemorySpec& memory, KvType kv,
                      uint32_t earlierTokens) {
    TokenReads reads;
    for (const backend::Op& op : plan.ops) {
        ++reads.numOps;
        if (op.code == backend::OpCode::Embed) continue;  // one row of the table
        for (const uint32_t index : op.weights) {
            const backend::PlanWeight& weight = plan.weights[index];
            if (weight.use != backend::WeightUse::Matrix) continue;
            const tensor::Tensor& matrix = *weight.tensor;
            uint64_t numMatrices = 1;
            uint64_t numUsed = 1;
            if (op.code == backend::OpCode::ExpertLinear) {
                numMatrices = matrix.shape.dims[2];
                numUsed = op.outputs[0].width / matrix.shape.dims[1];
            }
            reads.weights[std::string(matrix.format->name)] += matrix.bytes() / numMatrices * numUsed;
            if (plan.values[op.outputs[0].value].rows == backend::RowKind::Token)
                reads.promptProducts += matrix.shape.numElems() / numMatrices * numUsed;
        }
    }
    reads.cache = backend::cacheBytesSeen(memory, kv, earlierTokens);
    for (const backend::StateSpec& state : memory.states) reads.cache += sizeof(float) * state.movedElems();
    return reads;
}

uint64_t TokenReads::weightBytes() const {
    uint64_t sum = 0;
    for (const auto& [format, bytes] : weights) sum += bytes;
    return sum;
}

TokenReads answerReads(const OpenedModel& model, const LoadOptions& options) {
    // Half of a context of usual length; most conversations never fill a longer one.
    uint32_t earlier = usualContext(model.shape) / 2;
    if (model.contextTokens > 0) earlier = std::min(earlier, model.contextTokens / 2);
    return tokenReads(lowerModel(model, options, 1, 1), model.shape.memory, options.kv, earlier);
}

double foretoldSeconds(const TokenReads& reads, const ReadSpeeds& speeds) {
    double seconds =
        static_cast<double>(reads.cache) / speeds.memoryBytesPerSecond + reads.numOps * speeds.secondsPerOp;
    for (const auto& [format, bytes] : reads.weights) {
        const auto kernel = speeds.formatBytesPerSecond.find(format);
        const double limit =
            kernel == speeds.formatBytesPerSecond.end() ? speeds.memoryBytesPerSecond : kernel->second;
        seconds += static_cast<double>(bytes) / std::min(speeds.memoryBytesPerSecond, limit);
    }
    return seconds;
}

std::optional<double> foretoldTokensPerSecond(const OpenedModel& model, const LoadOptions& options) {
    const TokenReads reads = answerReads(model, options);
    FormatNames formats;
    for (const auto& [format, bytes] : reads.weights) formats.insert(format);
    // Old figures will do: answers may be computed meanwhile, and a trial takes all cores.
    auto speeds = rememberedSpeeds(options);
    const auto isKnown = [&](const std::string& name) { return speeds->formatBytesPerSecond.contains(name); };
    if (!speeds || !std::ranges::all_of(formats, isKnown)) speeds = readSpeeds(formats, options);
    return speeds ? std::optional(1 / foretoldSeconds(reads, *speeds)) : std::nullopt;
}

}  // namespace ingle::session
