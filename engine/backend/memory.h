/// What a sequence remembers between steps: a paged key/value cache, recurrent states, or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/quant/format.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::backend {

/// Tokens per page of the key/value cache, on every backend.
inline constexpr uint32_t kPageTokens = 64;

/// Tokens of a chunk of a recurrent state, see ChunkRing.
inline constexpr uint32_t kChunkTokens = 32;
/// The first position of the chunk that the last of so many tokens belongs to; 0 without tokens.
constexpr uint32_t chunkStart(uint32_t tokens) {
    return tokens == 0 ? 0 : (tokens - 1) / kChunkTokens * kChunkTokens;
}

/// What is kept behind the windows of all layers, so that an answer, or what was thought before it, can be
/// taken back without reading everything again.
inline constexpr uint32_t kRewindTokens = 8 * kPageTokens;

/// One layer's key/value cache. A row is all kv heads of one token, back to back.
struct KvLayerSpec {
    uint32_t keyElems = 0;  ///< numKvHeads * keyDim
    /// numKvHeads * valueDim; 0: values lie in the keys, which have one head and begin with them.
    uint32_t valueElems = 0;
    uint32_t window = 0;  ///< tokens that a token sees at most, itself and those before it; 0: all
    uint32_t keyDim = 0;  ///< of one head; 0: not known
};

/// The block format that keys and values of a cache type are stored in.
const quant::QuantFormat& cacheFormat(KvType type);
/// Bytes of a cached row; its last block is filled up with zeros.
size_t cacheRowBytes(const quant::QuantFormat& format, uint32_t elems);

/// Consecutive tokens of a sequence.
struct TokenRange {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t end() const { return first + count; }
};

/// What a state in chunks ends in: rows of which position p has row p mod numRows.
struct ChunkRing {
    uint32_t numRows = 0;     ///< those of a chunk, and what its first one sees
    uint32_t rowElems = 0;    ///< numbers in each
    uint64_t movedElems = 0;  ///< of the whole state: read and written for a token, on average
};

/// A recurrent state of constant size, f32: as it is after the last token, or in chunks, as it was at
/// chunkStart() and with the rows since; then the last tokens of a chunk can be forgotten.
struct StateSpec {
    std::string name;  ///< e.g. "blk.3.wkv"
    uint32_t elems = 0;
    float initial = 0;
    std::optional<ChunkRing> ring = {};

    uint32_t fixedElems() const { return ring ? elems - ring->numRows * ring->rowElems : elems; }
    /// Numbers that are read and written for a token, on average.
    uint64_t movedElems() const { return ring ? ring->movedElems : uint64_t{2} * elems; }
    /// The positions whose rows mean something after so many tokens: those of the chunk, and what its first
    /// one sees.
    TokenRange keptRows(uint32_t tokens) const;
};

struct MemorySpec {
    std::vector<KvLayerSpec> kv;
    std::vector<StateSpec> states;

    /// The states belong to one beginning: unlike pages, they serve no shorter one (but for the last few
    /// tokens, see statesReachBack()).
    bool hasStates() const { return !states.empty(); }
    /// The fewest tokens (beside none) that the states after so many can go back to.
    uint32_t statesReachBack(uint32_t tokens) const;
    /// Most rows behind so many tokens that may be guesses, see SequenceRun: those of a chunk.
    uint32_t mostGuesses(uint32_t tokens) const;

    /// The largest window of all layers; 0: some layer sees everything.
    uint32_t window() const;
    /// The first token that is seen after `tokens`.
    uint32_t firstSeen(uint32_t tokens) const;
    /// The first token that is kept after `tokens`, the first of a page: no token to come sees those before
    /// it, nor would one after the last kRewindTokens were taken back.
    uint32_t firstKept(uint32_t tokens) const;
    /// Most tokens that a sequence of up to `tokens` keeps while it is fed in steps of up to `stepTokens`.
    uint32_t mostKept(uint32_t tokens, uint32_t stepTokens) const;
};

/// Bytes of one token's keys and values, in all layers.
uint64_t cacheBytesPerToken(const MemorySpec& spec, KvType type);
/// Bytes of the keys and values that a token after so many sees, in all layers.
uint64_t cacheBytesSeen(const MemorySpec& spec, KvType type, uint32_t tokens);
/// Bytes that a sequence of which so many tokens are kept remembers.
uint64_t sequenceBytes(const MemorySpec& spec, KvType type, uint32_t tokens);

/// What is kept of sequences: keys and values of so many tokens, and the states of so many sequences.
struct MemoryNeed {
    KvType kv = KvType::F16;
    uint64_t tokens = 0;
    uint32_t sequences = 0;
    uint64_t otherBytes = 0;  ///< that are to stay free beside it
    KvMemory kvMemory = KvMemory::Device;
};
uint64_t neededBytes(const MemorySpec& spec, const MemoryNeed& need);

/// Sequences for which there is a place where all memory has to be there from the beginning: the running
/// one, what becomes of it, and the two more that answers decoded ahead keep states in …
inline constexpr uint32_t kLeastSequences = 4;
/// … and eight idle conversations. When more run at once, fewer stay idle.
inline constexpr uint32_t kUsualSequences = kLeastSequences + 8;

struct MemoryOptions {
    KvType kv = KvType::F16;
    uint32_t maxTokens = 0;  ///< most tokens whose keys and values are kept, of all sequences together
    uint32_t maxLength = 0;  ///< of one sequence, where that is more than are kept of it; 0: maxTokens
    /// The same where all memory has to be there from the beginning; 0: maxTokens.
    uint32_t reservedTokens = 0;
    /// Of these, what memory has room for at first, where it grows by being copied; 0: all of it.
    uint32_t firstTokens = 0;
    uint32_t reservedSequences = kUsualSequences;  ///< as well
    /// Most sequences at once, where they have recurrent states and these are allocated one by one; 0: no
    /// limit.
    uint32_t maxSequences = 0;
    KvMemory kvMemory = KvMemory::Device;
    /// Keys and values that find no room in the device's memory may lie in the computer's.
    bool kvMayOverflow = false;
};

enum class SavedParts : uint8_t {
    Everything,
    Cache,  ///< keys and values without the recurrent states: a sequence cannot go on from these alone
};

/// A part of a sequence's memory in a form no backend owns. Layout of `bytes` (little-endian): for each kv
/// layer the key rows then the value rows of the tokens of `range` in kvType's block format, then each
/// recurrent state, as it is after range.end() tokens, in f32 (not of SavedParts::Cache). Of a ring only the
/// rows that mean something, in order: what is saved follows from the tokens alone.
struct SavedState {
    static constexpr uint32_t kVersion = 3;
    uint32_t version = kVersion;
    KvType kvType = KvType::F16;
    TokenRange range;
    SavedParts parts = SavedParts::Everything;
    std::vector<std::byte> bytes;
};

/// Bytes that a recurrent state, and all of them, take in a SavedState that ends after so many tokens.
uint64_t savedStateBytes(const StateSpec& spec, uint32_t tokens);
uint64_t savedStateBytes(const MemorySpec& spec, uint32_t tokens);
/// What is saved of `state` after so many tokens is copied from it to `saved`, or back; what is not saved is
/// zero then.
void packState(const StateSpec& spec, uint32_t tokens, std::span<const float> state, std::byte* saved);
void unpackState(const StateSpec& spec, uint32_t tokens, const std::byte* saved, std::span<float> state);

/// False when a value in it is infinite or no number, or its size does not fit.
bool isFinite(const SavedState& state, const MemorySpec& spec);

/// One sequence's memory. Used by one thread at a time; must not outlive its pool.
class SequenceMemory {
  public:
    virtual ~SequenceMemory() = default;
    /// Tokens fed so far.
    virtual uint32_t length() const = 0;
    /// The first token whose keys and values are still there: pages that no layer can see any more are given
    /// back, see MemorySpec::firstKept().
    virtual uint32_t firstKept() const = 0;
    /// Before the guesses of the last step, where states were kept for them (see SequenceRun): it can go back
    /// to there, too, until it is fed or truncated.
    virtual std::optional<uint32_t> statesKeptAt() const { return std::nullopt; }
    /// Makes room for `tokens` in all: what follows length() may be written then, as Program::run() does.
    /// Errors: OutOfMemory, Device; then nothing changed.
    virtual Status reserve(uint32_t tokens) = 0;
    /// Forgets everything after the first `tokens`; of states in chunks nothing is copied or changed for
    /// that. Errors: as checkTruncation().
    virtual Status truncate(uint32_t tokens) = 0;
    /// Errors: InvalidArgument when the range is not within firstKept() and length(), or recurrent states
    /// belong to it that cannot go back to its end (MemorySpec::statesReachBack()).
    virtual Result<SavedState> save(TokenRange range, SavedParts parts) const = 0;
    Result<SavedState> save(TokenRange range) const { return save(range, SavedParts::Everything); }
    /// What is needed to go on.
    Result<SavedState> save() const { return save({firstKept(), length() - firstKept()}); }
    /// Replaces everything from the saved range's first token on. Errors: Corrupt when sizes do not fit this
    /// model, InvalidArgument when tokens before the range are missing that are seen after it, OutOfMemory.
    /// After an error the sequence is empty. What follows SavedParts::Cache has to be restored, too, up to
    /// the states.
    virtual Status restore(const SavedState& state) = 0;
    /// A sequence that begins with the first `tokens` of this one; it shares the pages both have until one of
    /// them writes there. Errors: as truncate(), OutOfMemory.
    virtual Result<std::unique_ptr<SequenceMemory>> fork(uint32_t tokens) const = 0;
};

/// Whether a sequence of such memory can go on after its first `tokens`. Errors: InvalidArgument, when it is
/// not that long, or when recurrent states or pages that were given back make it impossible.
Status checkTruncation(const MemorySpec& spec, const SequenceMemory& sequence, uint32_t tokens);
/// Whether tokens can be saved. Errors: as SequenceMemory::save().
Status checkSaving(const MemorySpec& spec, const SequenceMemory& sequence, TokenRange range,
                   SavedParts parts);
/// Whether `saved`, of as many bytes as such memory takes, can follow what the sequence holds. Errors: as
/// SequenceMemory::restore().
Status checkRestoring(const MemorySpec& spec, const SequenceMemory& sequence, const SavedState& saved);

/// Where the sequences of one model live.
class MemoryPool {
  public:
    virtual ~MemoryPool() = default;
    virtual Result<std::unique_ptr<SequenceMemory>> createSequence() = 0;
    virtual uint64_t reservedBytes() const = 0;
};

/// What a backend made, as the backend itself knows it: a pool of its own kind, a sequence of its own pool.
/// Errors: InvalidArgument, where it was made by another backend or for another pool.
template <class Pool>
Result<Pool*> ownPool(MemoryPool& pool) {
    if (auto* own = dynamic_cast<Pool*>(&pool)) return own;
    return fail(ErrorCode::InvalidArgument, "the memory belongs to another backend");
}
template <class Sequence, class Pool>
Result<Sequence*> ownSequence(SequenceMemory* sequence, const Pool& pool) {
    auto* own = dynamic_cast<Sequence*>(sequence);
    if (own != nullptr && &own->pool() == &pool) return own;
    return fail(ErrorCode::InvalidArgument, "the sequence belongs to another backend or model");
}

}  // namespace ingle::backend
