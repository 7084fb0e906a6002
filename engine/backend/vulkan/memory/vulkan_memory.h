/// Sequence memory on the device: pages of 64 tokens behind page tables, and recurrent states in slots.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/backend/sequence_pages.h"
#include "engine/backend/vulkan/matvec/attention_kernels.h"
#include "engine/backend/vulkan/matvec/matmul.h"
#include "engine/backend/vulkan/matvec/matvec_shapes.h"
#include "engine/backend/vulkan/substrate/transfer.h"

namespace ingle::backend::vulkan {

/// What everything on a device is made with.
struct DeviceContext {
    Device& device;
    Pipelines& pipelines;
    Transfer& transfer;
    MatvecShapes& matvecShapes;
    MatmulKernels& matmulKernels;
    AttentionKernels& attentionKernels;
};

/// How a token's keys or values lie in the cache, see shaders/cache.glsl.
struct CacheRow {
    uint32_t rowBytes = 0;    ///< a multiple of 16
    uint32_t scaleBytes = 0;  ///< where the scales begin; of Q8 only
    size_t savedBytes = 0;    ///< of a row in a SavedState
    uint32_t rowWords() const { return rowBytes / 4; }
    uint32_t scaleWord() const { return scaleBytes / 4; }
};

/// Index of a page; it comes back by itself when its last user lets go of it.
using Page = std::shared_ptr<const uint32_t>;

/// What a pool takes of memory.
struct PoolBytes {
    uint64_t pages = 0;  ///< where MemoryOptions::kvMemory says
    uint64_t slots = 0;  ///< on the device
};

/// Who reads the pages of a pool.
constexpr MemoryUse pageUse(KvMemory memory) {
    return memory == KvMemory::Main ? MemoryUse::Main : MemoryUse::Device;
}

/// Slots are there from the beginning. Pages are, too, or they become twice as many where they do not
/// suffice: then each layer's are copied.
class VulkanMemoryPool final : public MemoryPool {
  public:
    /// Errors: OutOfMemory, Device.
    static Result<std::unique_ptr<VulkanMemoryPool>> create(const DeviceContext& context,
                                                            const MemorySpec& spec,
                                                            const MemoryOptions& options);

    /// What such a pool takes at first.
    static PoolBytes bytesFor(const DeviceContext& context, const MemorySpec& spec,
                              const MemoryOptions& options);

    Result<std::unique_ptr<SequenceMemory>> createSequence() override;
    uint64_t reservedBytes() const override;

    const MemorySpec& spec() const { return m_spec; }
    const MemoryOptions& options() const { return m_options; }
    const DeviceContext& context() const { return m_context; }

    const CacheRow& keyRow(uint32_t layer) const { return m_layers[layer].keyRow; }
    const CacheRow& valueRow(uint32_t layer) const { return m_layers[layer].valueRow; }
    /// Counts how often the ranges of keys and values have moved: what was recorded with those before is of
    /// no use.
    uint64_t numMoves() const { return m_numMoves; }
    /// [pages, 64, row]
    const BufferRange& keys(uint32_t layer) const { return m_cache[2 * layer]; }
    const BufferRange& values(uint32_t layer) const { return m_cache[2 * layer + 1]; }
    /// [slots, stateStride(index)] floats.
    const BufferRange& state(uint32_t index) const { return m_slots[1 + index]; }
    uint32_t stateStride(uint32_t index) const { return (m_spec.states[index].elems + 3) / 4 * 4; }
    /// [slots, tablePages()], u32.
    const BufferRange& pageTables() const { return m_slots[0]; }
    uint32_t tablePages() const { return m_tablePages; }

    /// While nothing runs. Errors: OutOfMemory when all are in use, and there cannot be more; Device.
    Result<Page> takePage();
    /// A place for a sequence's states and page table. Errors: as takePage().
    Result<uint32_t> takeSlot();
    void giveSlot(uint32_t slot) { m_freeSlots.push_back(slot); }

    /// Runs what was recorded. Errors: Device, OutOfMemory.
    Status run(const Recorder& recorder) const;

  private:
    struct Layer {
        CacheRow keyRow, valueRow;
    };
    explicit VulkanMemoryPool(const DeviceContext& context)
        : m_context(context), m_memory(context.device, MemoryUse::Device) {}
    void plan(const MemorySpec& spec, const MemoryOptions& options);
    /// Of m_cache and m_slots.
    uint32_t firstPages() const;
    std::array<uint64_t, 2> cacheSizes(const Layer& layer, uint32_t pages) const;
    std::vector<uint64_t> slotSizes() const;
    Status addPages(uint32_t pages);
    /// Gives each layer room for so many pages.
    Status growTo(uint32_t pages);
    /// Keys and values of one layer, and what owns them. Errors: OutOfMemory, Device.
    struct LayerMemory {
        std::unique_ptr<Allocator> owner;
        std::vector<BufferRange> ranges;
    };
    Result<LayerMemory> allocateLayer(const Layer& layer, uint32_t pages) const;
    Status addSlots();

    DeviceContext m_context;
    MemorySpec m_spec;
    MemoryOptions m_options;
    std::vector<Layer> m_layers;
    uint32_t m_numPages = 0;    ///< that there is room for
    uint32_t m_maxPages = 0;    ///< that there may be room for
    uint32_t m_tablePages = 0;  ///< of one sequence, those that were given back included
    Allocator m_memory;         // of slots
    std::vector<std::unique_ptr<Allocator>> m_pageMemory;  // of each layer
    std::vector<BufferRange> m_cache;                      // keys and values of each layer
    uint64_t m_numMoves = 0;
    std::vector<BufferRange> m_slots;  // page tables, then each state
    std::vector<uint32_t> m_freePages;
    std::vector<uint32_t> m_freeSlots;
};

class VulkanSequence final : public SequenceMemory {
  public:
    static Result<std::unique_ptr<VulkanSequence>> create(VulkanMemoryPool& pool);
    ~VulkanSequence() override {
        forgetKeptStates();
        m_pool.giveSlot(m_slot);
    }

    uint32_t length() const override { return m_held.length; }
    uint32_t firstKept() const override { return m_held.firstKept; }
    std::optional<uint32_t> statesKeptAt() const override { return m_statesKeptAt; }
    Status truncate(uint32_t tokens) override;
    Result<SavedState> save(TokenRange range, SavedParts parts) const override;
    Status restore(const SavedState& state) override;
    Result<std::unique_ptr<SequenceMemory>> fork(uint32_t tokens) const override;

    const VulkanMemoryPool& pool() const { return m_pool; }
    /// Tells the device which pages it takes, too.
    Status reserve(uint32_t tokens) override;
    /// Steps that run now see no more of what is given back than those to come; a device's table is left as
    /// it is.
    void advance(uint32_t tokens) { m_held.advance(tokens, m_pool.spec()); }
    uint32_t slot() const { return m_slot; }

    /// Makes room for the states as they are after so many tokens, where they are not in chunks: the step
    /// that follows writes them to keptSlot(). Errors: OutOfMemory.
    Status keepStates(uint32_t tokens);
    void forgetKeptStates();
    std::optional<uint32_t> keptSlot() const { return m_keptSlot; }

    /// Slots with this page table, for states of steps that may be taken back. Errors: OutOfMemory, Device.
    Result<std::vector<uint32_t>> takeTwinSlots(uint32_t count);
    /// The states are in `slot` from then on, a twin of the present one. The caller owns the present one.
    void moveToTwin(uint32_t slot) { m_slot = slot; }

  private:
    enum class Direction : uint8_t { Save, Restore };

    VulkanSequence(VulkanMemoryPool& pool, uint32_t slot) : m_pool(pool), m_slot(slot) {}
    Status clearStates();
    uint64_t savedBytes(TokenRange range, SavedParts parts) const;
    Status fill(const SavedState& saved);
    /// For what is restored: only what is before it stays. Errors: as reserve().
    Status makeRoomFor(TokenRange range);
    uint32_t rowsInPlace(TokenRange range, uint32_t token, uint32_t most) const;
    Status moveRows(Direction direction, const BufferRange& cache, const CacheRow& row, TokenRange range,
                    std::span<std::byte> saved) const;
    Status uploadTable() { return uploadTable(m_slot); }
    Status uploadTable(uint32_t slot);
    BufferRange stateRange(uint32_t index, uint32_t slot) const;
    BufferRange stateRange(uint32_t index) const { return stateRange(index, m_slot); }
    /// Of a state as it is after the first `tokens`.
    BufferRange stateAfter(uint32_t index, uint32_t tokens) const;
    /// The states as they are after so many tokens are copied to `slot`. Errors: Device, OutOfMemory.
    Status copyStates(uint32_t tokens, uint32_t slot) const;

    VulkanMemoryPool& m_pool;
    uint32_t m_slot;
    std::optional<uint32_t> m_keptSlot, m_statesKeptAt;
    SequencePages<Page> m_held;
};

}  // namespace ingle::backend::vulkan
