/// Sequence memory in host RAM: pages of 64 tokens from slabs, and states as plain arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/backend/sequence_pages.h"
#include "engine/base/buffer.h"
#include "engine/quant/format.h"

namespace ingle::backend::cpu {

class CpuSequence;

/// Values in a block of any format.
inline constexpr size_t kLargestBlock = 256;

/// Hands out pages. A page holds, for each layer, the keys of 64 tokens and then their values, in the cache's
/// block format. Values lie in rows, and so do keys that are values, too, or whose heads are no whole blocks;
/// all others are turned, so that attention reads the same dimensions of 64 keys at once.
class CpuMemoryPool final : public MemoryPool {
  public:
    /// Errors: OutOfMemory.
    static Result<std::unique_ptr<CpuMemoryPool>> create(const MemorySpec& spec,
                                                         const MemoryOptions& options);

    Result<std::unique_ptr<SequenceMemory>> createSequence() override;
    uint64_t reservedBytes() const override;

    const MemorySpec& spec() const { return m_spec; }
    const MemoryOptions& options() const { return m_options; }
    const quant::QuantFormat& kvFormat() const { return *m_kvFormat; }

    /// Where a layer's keys and values lie inside a page.
    struct LayerLayout {
        size_t keyOffset, keyRowBytes, valueOffset, valueRowBytes;
        /// [numbers of a row][64], of Q8_0 [blocks of a row] of kernels::TurnedBlock; else 64 rows
        bool keysTurned;
    };
    const LayerLayout& layout(uint32_t layer) const { return m_layers[layer]; }

    /// A page that comes back by itself when its last user lets go of it. Errors: OutOfMemory when the budget
    /// is used up.
    Result<std::shared_ptr<std::byte>> takePage();
    size_t pageBytes() const { return m_pageBytes; }

    /// Counts a sequence that begins, and one that ends. Errors: OutOfMemory when there are too many.
    Status beginSequence();
    void endSequence() { --m_numSequences; }

    /// Room for those states of a sequence that are not in chunks, which counts as a sequence. Errors:
    /// OutOfMemory.
    Result<std::vector<base::Buffer>> takeKeptStates();
    void giveKeptStates(std::vector<base::Buffer> states) { m_spareStates.push_back(std::move(states)); }

  private:
    CpuMemoryPool() = default;
    Status addSlab();

    MemorySpec m_spec;
    MemoryOptions m_options;
    const quant::QuantFormat* m_kvFormat = nullptr;
    std::vector<LayerLayout> m_layers;
    size_t m_pageBytes = 0;
    uint32_t m_maxPages = 0;
    uint32_t m_numPages = 0;
    uint32_t m_numSequences = 0;
    std::vector<base::Buffer> m_slabs;
    std::vector<std::byte*> m_freePages;
    std::vector<std::vector<base::Buffer>> m_spareStates;
};

class CpuSequence final : public SequenceMemory {
  public:
    static Result<std::unique_ptr<CpuSequence>> create(CpuMemoryPool& pool);
    ~CpuSequence() override {
        forgetKeptStates();
        m_pool.endSequence();
    }

    uint32_t length() const override { return m_held.length; }
    uint32_t firstKept() const override { return m_held.firstKept; }
    std::optional<uint32_t> statesKeptAt() const override { return m_statesKeptAt; }
    Status truncate(uint32_t tokens) override;
    Result<SavedState> save(TokenRange range, SavedParts parts) const override;
    Status restore(const SavedState& state) override;
    Result<std::unique_ptr<SequenceMemory>> fork(uint32_t tokens) const override;

    const CpuMemoryPool& pool() const { return m_pool; }
    Status reserve(uint32_t tokens) override;
    /// Steps that run now see no more of what is given back than those to come; a device's table is left as
    /// it is.
    void advance(uint32_t tokens) { m_held.advance(tokens, m_pool.spec()); }

    /// The keys of the layer in the token's page, as they lie there.
    std::byte* keyPage(uint32_t layer, uint32_t token) const;
    /// The token's own row; of keys: of a layer whose keys are not turned.
    std::byte* keyRow(uint32_t layer, uint32_t token) const;
    std::byte* valueRow(uint32_t layer, uint32_t token) const;
    /// A token's key as a row, wherever it lies; and the numbers of one from number `first` on.
    void readKey(uint32_t layer, uint32_t token, std::byte* row) const;
    void writeKey(uint32_t layer, uint32_t token, size_t first, std::span<const std::byte> numbers) const;
    std::span<float> state(uint32_t index) { return m_states[index].floats(); }

    /// Makes room for the states as they are after so many tokens, where they are not in chunks: ops write
    /// them to keptState() on their way. Errors: OutOfMemory.
    Status keepStates(uint32_t tokens);
    void forgetKeptStates();
    std::span<float> keptState(uint32_t index) { return m_keptStates[index].floats(); }

  private:
    explicit CpuSequence(CpuMemoryPool& pool) : m_pool(pool) {}
    void clearStates();
    /// For what is restored: only what is before it stays. Errors: as reserve().
    Status makeRoomFor(TokenRange range);
    void clear();
    uint64_t savedBytes(TokenRange range, SavedParts parts) const;
    std::byte* pageOf(uint32_t token) const;

    CpuMemoryPool& m_pool;
    SequencePages<std::shared_ptr<std::byte>> m_held;
    std::vector<base::Buffer> m_states;
    std::vector<base::Buffer> m_keptStates;  ///< like m_states, but empty for those in chunks
    std::optional<uint32_t> m_statesKeptAt;
};

}  // namespace ingle::backend::cpu
