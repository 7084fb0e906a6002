/// What a sequence remembers between steps: a paged key/value cache, recurrent states, or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/quant/format.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::backend {

/// Tokens per page of the key/value cache, on every backend.
inline constexpr uint32_t kPageTokens = 64;

/// One layer's key/value cache. A row is all kv heads of one token, back to back.
struct KvLayerSpec {
    uint32_t keyElems = 0;  ///< numKvHeads * headDim
    uint32_t valueElems = 0;
};

/// The block format that keys and values of a cache type are stored in.
const quant::QuantFormat& cacheFormat(KvType type);
/// Bytes of a cached row; its last block is filled up with zeros.
size_t cacheRowBytes(const quant::QuantFormat& format, uint32_t elems);

/// A recurrent state of constant size, f32.
struct StateSpec {
    std::string name;  ///< e.g. "blk.3.wkv"
    uint32_t elems = 0;
    float initial = 0;
};

struct MemorySpec {
    std::vector<KvLayerSpec> kv;
    std::vector<StateSpec> states;

    /// Recurrent memory cannot forget its last tokens: truncate() works for 0 and the present length only.
    bool canTruncate() const { return states.empty(); }
};

/// Bytes of one token's keys and values, in all layers.
uint64_t cacheBytesPerToken(const MemorySpec& spec, KvType type);
/// Bytes that a sequence of so many tokens remembers.
uint64_t sequenceBytes(const MemorySpec& spec, KvType type, uint32_t tokens);

struct MemoryOptions {
    KvType kv = KvType::F16;
    uint32_t maxTokens = 0;  ///< most tokens whose keys and values are kept, of all sequences together
    /// The same where all memory has to be there from the beginning; 0: maxTokens.
    uint32_t reservedTokens = 0;
    /// Most sequences at once, where they have recurrent states and these are allocated one by one; 0: no
    /// limit.
    uint32_t maxSequences = 0;
};

/// Consecutive tokens of a sequence.
struct TokenRange {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t end() const { return first + count; }
};

/// A part of a sequence's memory in a form no backend owns. Layout of `bytes` (little-endian): for each kv
/// layer the key rows then the value rows of the tokens of `range` in kvType's block format, then each
/// recurrent state, as it is after range.end() tokens, in f32.
struct SavedState {
    static constexpr uint32_t kVersion = 2;
    uint32_t version = kVersion;
    KvType kvType = KvType::F16;
    TokenRange range;
    std::vector<std::byte> bytes;
};

/// False when a value in it is infinite or no number, or its size does not fit.
bool isFinite(const SavedState& state, const MemorySpec& spec);

/// One sequence's memory. Used by one thread at a time; must not outlive its pool.
class SequenceMemory {
  public:
    virtual ~SequenceMemory() = default;
    /// Tokens fed so far.
    virtual uint32_t length() const = 0;
    /// Forgets everything after the first `tokens`. Errors: InvalidArgument when longer than length(), or
    /// when recurrent state makes it impossible.
    virtual Status truncate(uint32_t tokens) = 0;
    /// Errors: InvalidArgument when the range is not within length(), or does not end there although there
    /// is recurrent state.
    virtual Result<SavedState> save(TokenRange range) const = 0;
    Result<SavedState> save() const { return save({0, length()}); }
    /// Replaces everything from the saved range's first token on. Errors: Corrupt when sizes do not fit this
    /// model, InvalidArgument when tokens before the range are missing, OutOfMemory. After an error the
    /// sequence is empty.
    virtual Status restore(const SavedState& state) = 0;
    /// A sequence that begins with the first `tokens` of this one; it shares the pages both have until one of
    /// them writes there. Errors: as truncate(), OutOfMemory.
    virtual Result<std::unique_ptr<SequenceMemory>> fork(uint32_t tokens) const = 0;
};

/// Where the sequences of one model live.
class MemoryPool {
  public:
    virtual ~MemoryPool() = default;
    virtual Result<std::unique_ptr<SequenceMemory>> createSequence() = 0;
    virtual uint64_t reservedBytes() const = 0;
};

}  // namespace ingle::backend
