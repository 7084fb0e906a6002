#include "engine/backend/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace ingle::backend {

const quant::QuantFormat& cacheFormat(KvType type) {
    switch (type) {
        case KvType::F32:
            return *quant::findFormat(quant::kF32);
        case KvType::F16:
            return *quant::findFormat(quant::kF16);
        case KvType::Q8:
            return *quant::findFormat(quant::kQ8_0);
    }
    return *quant::findFormat(quant::kF16);
}

size_t cacheRowBytes(const quant::QuantFormat& format, uint32_t elems) {
    return (size_t{elems} + format.blockElems - 1) / format.blockElems * format.blockBytes;
}

uint64_t cacheBytesPerToken(const MemorySpec& spec, KvType type) {
    return cacheBytesSeen(spec, type, 1);
}

uint64_t cacheBytesSeen(const MemorySpec& spec, KvType type, uint32_t tokens) {
    const quant::QuantFormat& format = cacheFormat(type);
    uint64_t bytes = 0;
    for (const KvLayerSpec& layer : spec.kv) {
        const uint64_t seen = layer.window > 0 ? std::min(tokens, layer.window) : tokens;
        bytes += seen * (cacheRowBytes(format, layer.keyElems) + cacheRowBytes(format, layer.valueElems));
    }
    return bytes;
}

uint64_t sequenceBytes(const MemorySpec& spec, KvType type, uint32_t tokens) {
    uint64_t bytes = cacheBytesPerToken(spec, type) * tokens;
    for (const StateSpec& state : spec.states) bytes += sizeof(float) * state.elems;
    return bytes;
}

uint64_t neededBytes(const MemorySpec& spec, const MemoryNeed& need) {
    return cacheBytesPerToken(spec, need.kv) * need.tokens +
           sequenceBytes(spec, need.kv, 0) * need.sequences + need.otherBytes;
}

uint32_t MemorySpec::statesReachBack(uint32_t tokens) const {
    if (tokens == 0 || states.empty()) return 0;
    const bool inChunks =
        std::ranges::all_of(states, [](const StateSpec& state) { return state.ring.has_value(); });
    return inChunks ? chunkStart(tokens) + 1 : tokens;
}

uint32_t MemorySpec::mostGuesses(uint32_t tokens) const {
    const bool inChunks =
        std::ranges::any_of(states, [](const StateSpec& state) { return state.ring.has_value(); });
    if (!inChunks) return std::numeric_limits<uint32_t>::max();
    return tokens == 0 ? 0 : chunkStart(tokens) + kChunkTokens - tokens;
}

TokenRange StateSpec::keptRows(uint32_t tokens) const {
    if (!ring) return {};
    const uint32_t before = std::min(chunkStart(tokens), ring->numRows - kChunkTokens);
    const uint32_t first = chunkStart(tokens) - before;
    return {first, tokens - first};
}

uint64_t savedStateBytes(const StateSpec& spec, uint32_t tokens) {
    const uint64_t rowElems = spec.ring ? spec.ring->rowElems : 0;
    return sizeof(float) * (spec.fixedElems() + spec.keptRows(tokens).count * rowElems);
}

uint64_t savedStateBytes(const MemorySpec& spec, uint32_t tokens) {
    uint64_t bytes = 0;
    for (const StateSpec& state : spec.states) bytes += savedStateBytes(state, tokens);
    return bytes;
}

void packState(const StateSpec& spec, uint32_t tokens, std::span<const float> state, std::byte* saved) {
    std::memcpy(saved, state.data(), spec.fixedElems() * sizeof(float));
    saved += spec.fixedElems() * sizeof(float);
    if (!spec.ring) return;
    const auto [numRows, rowElems, moved] = *spec.ring;
    const TokenRange kept = spec.keptRows(tokens);
    const size_t rowBytes = rowElems * sizeof(float);
    for (uint32_t p = kept.first; p < kept.end(); ++p, saved += rowBytes)
        std::memcpy(saved, &state[spec.fixedElems() + size_t{p % numRows} * rowElems], rowBytes);
}

void unpackState(const StateSpec& spec, uint32_t tokens, const std::byte* saved, std::span<float> state) {
    std::memcpy(state.data(), saved, spec.fixedElems() * sizeof(float));
    saved += spec.fixedElems() * sizeof(float);
    if (!spec.ring) return;
    const auto [numRows, rowElems, moved] = *spec.ring;
    std::ranges::fill(state.subspan(spec.fixedElems()), 0.0F);
    const TokenRange kept = spec.keptRows(tokens);
    const size_t rowBytes = rowElems * sizeof(float);
    for (uint32_t p = kept.first; p < kept.end(); ++p, saved += rowBytes)
        std::memcpy(&state[spec.fixedElems() + size_t{p % numRows} * rowElems], saved, rowBytes);
}

uint32_t MemorySpec::window() const {
    uint32_t largest = 0;
    for (const KvLayerSpec& layer : kv) {
        if (layer.window == 0) return 0;
        largest = std::max(largest, layer.window);
    }
    return largest;
}

uint32_t MemorySpec::firstSeen(uint32_t tokens) const {
    const uint32_t seen = window();
    return seen == 0 || tokens < seen ? 0 : tokens - seen + 1;
}

uint32_t MemorySpec::firstKept(uint32_t tokens) const {
    return firstSeen(tokens - std::min(tokens, kRewindTokens)) / kPageTokens * kPageTokens;
}

uint32_t MemorySpec::mostKept(uint32_t tokens, uint32_t stepTokens) const {
    if (window() == 0) return tokens;
    const uint64_t most = uint64_t{window()} + kRewindTokens + kPageTokens + stepTokens;
    return static_cast<uint32_t>(std::min<uint64_t>(tokens, most));
}

Status checkTruncation(const MemorySpec& spec, const SequenceMemory& sequence, uint32_t tokens) {
    const uint32_t length = sequence.length();
    if (tokens > length)
        return fail(ErrorCode::InvalidArgument, "cannot truncate {} tokens to {}", length, tokens);
    if (tokens == 0 || tokens == length) return {};
    if (const uint32_t first = spec.statesReachBack(length);
        tokens < first && tokens != sequence.statesKeptAt())
        return fail(ErrorCode::InvalidArgument,
                    "a recurrent state of {} tokens cannot go back to {}, only to {} or none", length, tokens,
                    first < length ? fmt::format("{} at least", first) : fmt::format("{}", length));
    if (sequence.firstKept() > spec.firstSeen(tokens))
        return fail(ErrorCode::InvalidArgument,
                    "{} tokens cannot go back to {}: what those would see was given back up to token {}",
                    length, tokens, sequence.firstKept());
    return {};
}

Status checkSaving(const MemorySpec& spec, const SequenceMemory& sequence, TokenRange range,
                   SavedParts parts) {
    const uint32_t length = sequence.length();
    const bool hasStates = parts == SavedParts::Everything && !spec.states.empty();
    const bool reaches = !hasStates || range.end() == length || range.end() >= spec.statesReachBack(length);
    if (range.end() <= length && reaches && (range.first >= sequence.firstKept() || spec.kv.empty()))
        return {};
    return fail(ErrorCode::InvalidArgument, "tokens {} to {} of a sequence of {} cannot be saved",
                range.first, range.end(), length);
}

Status checkRestoring(const MemorySpec& spec, const SequenceMemory& sequence, const SavedState& saved) {
    const TokenRange range = saved.range;
    if (spec.kv.empty()) return {};
    // Tokens before a page that nobody sees are not missed.
    const bool alone = range.first % kPageTokens == 0 && range.first <= spec.firstSeen(range.end());
    if (alone || (range.first <= sequence.length() && range.first >= sequence.firstKept())) return {};
    return fail(ErrorCode::InvalidArgument, "tokens {} to {} of a saved state cannot follow {} tokens",
                range.first, range.end(), sequence.length());
}

bool isFinite(const SavedState& state, const MemorySpec& spec) {
    const quant::QuantFormat& format = cacheFormat(state.kvType);
    std::vector<float> values;
    std::span<const std::byte> left = state.bytes;
    // Takes `bytes` off the front and says whether the values that `decode` makes of them are finite.
    const auto next = [&](size_t bytes, size_t elems, auto decode) {
        if (bytes > left.size()) return false;
        values.resize(elems);
        decode(left.data(), values);
        left = left.subspan(bytes);
        return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
    };
    const auto decodeFloats = [](const std::byte* in, std::span<float> out) {
        std::memcpy(out.data(), in, out.size_bytes());
    };
    for (const KvLayerSpec& layer : spec.kv) {
        for (const uint32_t elems : {layer.keyElems, layer.valueElems}) {
            // Rows are whole blocks, back to back.
            const size_t rowBytes = cacheRowBytes(format, elems);
            const size_t rowElems = rowBytes / format.blockBytes * format.blockElems;
            if (!next(rowBytes * state.range.count, rowElems * state.range.count, format.decodeRow))
                return false;
        }
    }
    if (state.parts == SavedParts::Everything) {
        const uint64_t bytes = savedStateBytes(spec, state.range.end());
        if (!next(bytes, bytes / sizeof(float), decodeFloats)) return false;
    }
    return left.empty();
}

}  // namespace ingle::backend
