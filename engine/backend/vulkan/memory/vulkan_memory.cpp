#include "engine/backend/vulkan/memory/vulkan_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ingle::backend::vulkan {
namespace {

/// Copies of caches take milliseconds.
constexpr std::chrono::seconds kCopyLimit{60};

/// Behind the last row: kernels read four values at a time, also where a head ends.
constexpr uint64_t kCacheSlack = 16;

constexpr uint32_t kQ8Values = 32;  // that share a scale
constexpr uint32_t kQ8Bytes = 34;   // of a block in a SavedState: the scale, then the values

uint32_t rounded(size_t bytes) {
    return static_cast<uint32_t>((bytes + 15) / 16 * 16);
}

CacheRow cacheRow(KvType type, uint32_t elems) {
    CacheRow row{.savedBytes = cacheRowBytes(cacheFormat(type), elems)};
    if (type == KvType::Q8) {
        const uint32_t blocks = (elems + kQ8Values - 1) / kQ8Values;
        row.scaleBytes = rounded(blocks * kQ8Values);
        row.rowBytes = row.scaleBytes + rounded(blocks * 2);
    } else {
        row.rowBytes = rounded(row.savedBytes);
    }
    return row;
}

/// A row of the device as the block format of a SavedState has it, and back.
void unpackRow(const CacheRow& row, const std::byte* device, std::byte* saved) {
    if (row.scaleBytes == 0) {
        std::memcpy(saved, device, row.savedBytes);
        return;
    }
    for (size_t block = 0; block < row.savedBytes / kQ8Bytes; ++block, saved += kQ8Bytes) {
        std::memcpy(saved, device + row.scaleBytes + 2 * block, 2);
        std::memcpy(saved + 2, device + kQ8Values * block, kQ8Values);
    }
}

void packRow(const CacheRow& row, const std::byte* saved, std::byte* device) {
    if (row.scaleBytes == 0) {
        std::memcpy(device, saved, row.savedBytes);
        return;
    }
    for (size_t block = 0; block < row.savedBytes / kQ8Bytes; ++block, saved += kQ8Bytes) {
        std::memcpy(device + row.scaleBytes + 2 * block, saved, 2);
        std::memcpy(device + kQ8Values * block, saved + 2, kQ8Values);
    }
}

}  // namespace

Result<std::unique_ptr<VulkanMemoryPool>> VulkanMemoryPool::create(const DeviceContext& context,
                                                                   const MemorySpec& spec,
                                                                   const MemoryOptions& options) {
    std::unique_ptr<VulkanMemoryPool> pool(new VulkanMemoryPool(context));
    pool->plan(spec, options);
    if (!spec.kv.empty()) INGLE_TRY(pool->addPages(pool->firstPages()));
    INGLE_TRY(pool->addSlots());
    return pool;
}

PoolBytes VulkanMemoryPool::bytesFor(const DeviceContext& context, const MemorySpec& spec,
                                     const MemoryOptions& options) {
    VulkanMemoryPool pool(context);
    pool.plan(spec, options);
    PoolBytes bytes;
    for (const Layer& layer : pool.m_layers)
        for (const uint64_t size : pool.cacheSizes(layer, pool.firstPages())) bytes.pages += alignUp(size);
    for (const uint64_t size : pool.slotSizes()) bytes.slots += alignUp(size);
    return bytes;
}

void VulkanMemoryPool::plan(const MemorySpec& spec, const MemoryOptions& options) {
    m_spec = spec;
    m_options = options;
    uint32_t largestRow = 0;
    for (const KvLayerSpec& layer : spec.kv) {
        m_layers.push_back({cacheRow(options.kv, layer.keyElems), cacheRow(options.kv, layer.valueElems)});
        largestRow =
            std::max({largestRow, m_layers.back().keyRow.rowBytes, m_layers.back().valueRow.rowBytes});
    }
    if (spec.kv.empty()) return;
    // A layer's pages are bound as one range.
    const uint64_t bindable =
        (maxRangeBytes(m_context.device.info().limits) - kCacheSlack) / (uint64_t{kPageTokens} * largestRow);
    const uint32_t tokens = options.reservedTokens > 0 ? options.reservedTokens : options.maxTokens;
    m_maxPages = static_cast<uint32_t>(std::min<uint64_t>(bindable, pagesFor(tokens)));
    m_tablePages = std::max(m_maxPages, static_cast<uint32_t>(pagesFor(options.maxLength)));
}

Status VulkanMemoryPool::run(const Recorder& recorder) const {
    INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
    return commands->run(kCopyLimit);
}

uint32_t VulkanMemoryPool::firstPages() const {
    if (m_options.firstTokens == 0) return m_maxPages;
    return std::min(m_maxPages, static_cast<uint32_t>(pagesFor(m_options.firstTokens)));
}

std::array<uint64_t, 2> VulkanMemoryPool::cacheSizes(const Layer& layer, uint32_t pages) const {
    const auto sizeOf = [&](const CacheRow& row) {
        return uint64_t{pages} * kPageTokens * row.rowBytes + kCacheSlack;
    };
    return {sizeOf(layer.keyRow), sizeOf(layer.valueRow)};
}

std::vector<uint64_t> VulkanMemoryPool::slotSizes() const {
    const uint32_t numSlots = m_options.reservedSequences;
    std::vector<uint64_t> sizes{uint64_t{numSlots} * std::max(m_tablePages, 1U) * sizeof(uint32_t)};
    for (uint32_t i = 0; i < m_spec.states.size(); ++i)
        sizes.push_back(uint64_t{numSlots} * stateStride(i) * sizeof(float));
    return sizes;
}

Status VulkanMemoryPool::addPages(uint32_t pages) {
    m_pageMemory.resize(m_layers.size());
    m_cache.resize(2 * m_layers.size());
    INGLE_TRY(growTo(pages));
    m_freePages.reserve(pages);  // giving a page back must not fail
    for (uint32_t page = pages; page-- > m_numPages;) m_freePages.push_back(page);
    m_numPages = pages;
    return {};
}

Status VulkanMemoryPool::growTo(uint32_t pages) {
    for (size_t i = 0; i < m_layers.size(); ++i) {
        // It may have grown in a try that found no room for all layers.
        if (m_cache[2 * i].bytes >= cacheSizes(m_layers[i], pages)[0]) continue;
        INGLE_TRY_ASSIGN(LayerMemory memory, allocateLayer(m_layers[i], pages));
        if (m_pageMemory[i]) {
            Recorder recorder(m_context.device, m_context.pipelines);
            for (size_t j = 0; j < memory.ranges.size(); ++j) {
                const BufferRange& before = m_cache[2 * i + j];
                INGLE_TRY(recorder.copy(before, memory.ranges[j].part(0, before.bytes)));
            }
            INGLE_TRY(run(recorder));
        }
        std::ranges::copy(memory.ranges, m_cache.begin() + static_cast<std::ptrdiff_t>(2 * i));
        m_pageMemory[i] = std::move(memory.owner);
        ++m_numMoves;
    }
    return {};
}

Result<VulkanMemoryPool::LayerMemory> VulkanMemoryPool::allocateLayer(const Layer& layer,
                                                                      uint32_t pages) const {
    const auto sizes = cacheSizes(layer, pages);
    const auto allocate = [&](MemoryUse use) -> Result<LayerMemory> {
        LayerMemory memory{.owner = std::make_unique<Allocator>(m_context.device, use), .ranges = {}};
        INGLE_TRY_ASSIGN(memory.ranges, memory.owner->allocate(sizes));
        return memory;
    };
    auto memory = allocate(pageUse(m_options.kvMemory));
    const bool isFull = !memory && memory.error().code == ErrorCode::OutOfMemory;
    const DeviceInfo& info = m_context.device.info();
    const bool hasOther = heapOf(info, MemoryUse::Main) != heapOf(info, MemoryUse::Device);
    return isFull && hasOther && m_options.kvMayOverflow ? allocate(MemoryUse::Main) : std::move(memory);
}

Status VulkanMemoryPool::addSlots() {
    const uint32_t numSlots = m_options.reservedSequences;
    INGLE_TRY_ASSIGN(m_slots, m_memory.allocate(slotSizes()));
    m_freeSlots.reserve(numSlots);
    for (uint32_t slot = numSlots; slot-- > 0;) m_freeSlots.push_back(slot);
    return {};
}

Result<Page> VulkanMemoryPool::takePage() {
    if (m_freePages.empty() && m_numPages < m_maxPages)
        INGLE_TRY(addPages(std::min(2 * m_numPages, m_maxPages)));
    if (m_freePages.empty())
        return fail(ErrorCode::OutOfMemory, "the memory for {} tokens is full", m_maxPages * kPageTokens);
    const uint32_t page = m_freePages.back();
    m_freePages.pop_back();
    return Page(new uint32_t(page), [this](const uint32_t* unused) {
        m_freePages.push_back(*unused);
        delete unused;
    });
}

Result<uint32_t> VulkanMemoryPool::takeSlot() {
    if (m_freeSlots.empty())
        return fail(ErrorCode::OutOfMemory, "the memory for {} conversations is full",
                    m_options.reservedSequences);
    const uint32_t slot = m_freeSlots.back();
    m_freeSlots.pop_back();
    return slot;
}

Result<std::unique_ptr<SequenceMemory>> VulkanMemoryPool::createSequence() {
    return VulkanSequence::create(*this);
}

uint64_t VulkanMemoryPool::reservedBytes() const {
    uint64_t bytes = m_memory.allocatedBytes();
    for (const auto& memory : m_pageMemory) bytes += memory->allocatedBytes();
    return bytes;
}

Result<std::unique_ptr<VulkanSequence>> VulkanSequence::create(VulkanMemoryPool& pool) {
    INGLE_TRY_ASSIGN(const uint32_t slot, pool.takeSlot());
    std::unique_ptr<VulkanSequence> sequence(new VulkanSequence(pool, slot));
    INGLE_TRY(sequence->clearStates());
    return sequence;
}

BufferRange VulkanSequence::stateRange(uint32_t index, uint32_t slot) const {
    const uint64_t bytes = uint64_t{m_pool.stateStride(index)} * sizeof(float);
    return m_pool.state(index).part(slot * bytes, bytes);
}

BufferRange VulkanSequence::stateAfter(uint32_t index, uint32_t tokens) const {
    const bool isKept = tokens == m_statesKeptAt && tokens < m_held.length;
    return stateRange(index, isKept && !m_pool.spec().states[index].ring ? *m_keptSlot : m_slot);
}

Status VulkanSequence::copyStates(uint32_t tokens, uint32_t slot) const {
    Recorder recorder(m_pool.context().device, m_pool.context().pipelines);
    for (uint32_t i = 0; i < m_pool.spec().states.size(); ++i) {
        const BufferRange from = stateAfter(i, tokens), to = stateRange(i, slot);
        if (from.offset != to.offset) INGLE_TRY(recorder.copy(from, to));
    }
    return m_pool.run(recorder);
}

Status VulkanSequence::keepStates(uint32_t tokens) {
    const bool allInChunks = std::ranges::all_of(
        m_pool.spec().states, [](const StateSpec& state) { return state.ring.has_value(); });
    if (allInChunks) return {};
    INGLE_TRY_ASSIGN(m_keptSlot, m_pool.takeSlot());
    m_statesKeptAt = tokens;
    return {};
}

void VulkanSequence::forgetKeptStates() {
    if (m_keptSlot) m_pool.giveSlot(*m_keptSlot);
    m_keptSlot.reset();
    m_statesKeptAt.reset();
}

Status VulkanSequence::clearStates() {
    const auto& states = m_pool.spec().states;
    if (states.empty()) return {};
    Recorder recorder(m_pool.context().device, m_pool.context().pipelines);
    for (uint32_t i = 0; i < states.size(); ++i)
        INGLE_TRY(recorder.fill(stateRange(i), std::bit_cast<uint32_t>(states[i].initial)));
    return m_pool.run(recorder);
}

Status VulkanSequence::truncate(uint32_t tokens) {
    INGLE_TRY(checkTruncation(m_pool.spec(), *this, tokens));
    if (tokens == 0)
        INGLE_TRY(clearStates());
    else if (tokens == m_statesKeptAt && tokens < m_held.length)
        INGLE_TRY(copyStates(tokens, m_slot));
    m_held.cut(tokens);
    forgetKeptStates();
    return {};
}

Result<std::unique_ptr<SequenceMemory>> VulkanSequence::fork(uint32_t tokens) const {
    INGLE_TRY(checkTruncation(m_pool.spec(), *this, tokens));
    INGLE_TRY_ASSIGN(auto copy, create(m_pool));
    if (tokens == 0) return copy;
    copy->m_held = m_held.beginning(tokens);
    if (!m_pool.spec().states.empty()) INGLE_TRY(copyStates(tokens, copy->m_slot));
    INGLE_TRY(copy->uploadTable());
    return copy;
}

Status VulkanSequence::reserve(uint32_t tokens) {
    if (m_pool.spec().kv.empty()) return {};
    if (pagesFor(tokens) > m_pool.tablePages())
        return fail(ErrorCode::OutOfMemory, "the memory for {} tokens is full",
                    m_pool.tablePages() * kPageTokens);
    std::vector<Page> pages = m_held.pages;
    const bool copyLast = m_held.mustCopyLast(tokens, 2);  // `pages` shares it, too
    if (!copyLast && pages.size() >= pagesFor(tokens)) return {};
    if (copyLast) {
        INGLE_TRY_ASSIGN(pages.back(), m_pool.takePage());
    }
    while (pages.size() < pagesFor(tokens)) {
        INGLE_TRY_ASSIGN(Page page, m_pool.takePage());
        pages.push_back(std::move(page));
    }
    if (copyLast) {
        // The page that is half full must be this sequence's alone before it is written to.
        Recorder recorder(m_pool.context().device, m_pool.context().pipelines);
        const uint32_t last = static_cast<uint32_t>(m_held.pages.size()) - 1;
        const auto copyPage = [&](const BufferRange& cache, const CacheRow& row) {
            const uint64_t bytes = uint64_t{kPageTokens} * row.rowBytes;
            if (bytes == 0) return Status();
            return recorder.copy(cache.part(*m_held.pages[last] * bytes, bytes),
                                 cache.part(*pages[last] * bytes, bytes));
        };
        for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
            INGLE_TRY(copyPage(m_pool.keys(layer), m_pool.keyRow(layer)));
            INGLE_TRY(copyPage(m_pool.values(layer), m_pool.valueRow(layer)));
        }
        INGLE_TRY(m_pool.run(recorder));
    }
    m_held.pages.swap(pages);
    const Status status = uploadTable();
    if (!status) m_held.pages.swap(pages);
    return status;
}

Status VulkanSequence::uploadTable(uint32_t slot) {
    if (m_held.pages.empty()) return {};
    std::vector<uint32_t> table;
    for (const Page& page : m_held.pages) table.push_back(page ? *page : 0);
    const uint64_t first = uint64_t{slot} * m_pool.tablePages() * sizeof(uint32_t);
    const auto bytes = std::as_bytes(std::span(table));
    return m_pool.context().transfer.upload(m_pool.pageTables().part(first, bytes.size()), bytes);
}

Result<std::vector<uint32_t>> VulkanSequence::takeTwinSlots(uint32_t count) {
    std::vector<uint32_t> slots;
    const auto take = [&]() -> Status {
        INGLE_TRY_ASSIGN(const uint32_t slot, m_pool.takeSlot());
        slots.push_back(slot);
        return uploadTable(slot);
    };
    while (slots.size() < count) {
        if (const Status taken = take(); !taken) {
            for (const uint32_t slot : slots) m_pool.giveSlot(slot);
            return tl::unexpected(taken.error());
        }
    }
    return slots;
}

uint64_t VulkanSequence::savedBytes(TokenRange range, SavedParts parts) const {
    uint64_t bytes = 0;
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer)
        bytes +=
            uint64_t{range.count} * (m_pool.keyRow(layer).savedBytes + m_pool.valueRow(layer).savedBytes);
    if (parts == SavedParts::Cache) return bytes;
    return bytes + savedStateBytes(m_pool.spec(), range.end());
}

/// Rows of the cache from `token` on that lie behind each other, at most to the end of `range`: pages that
/// were taken one after another often do. Not many more than `most`.
uint32_t VulkanSequence::rowsInPlace(TokenRange range, uint32_t token, uint32_t most) const {
    uint32_t at = token;
    do {
        at = std::min((at / kPageTokens + 1) * kPageTokens, range.end());
    } while (at < range.end() && at - token < most &&
             *m_held.pages[at / kPageTokens] == *m_held.pages[at / kPageTokens - 1] + 1);
    return at - token;
}

/// Moves the rows of `range` of one layer's keys or values between the cache and `saved`.
Status VulkanSequence::moveRows(Direction direction, const BufferRange& cache, const CacheRow& row,
                                TokenRange range, std::span<std::byte> saved) const {
    if (row.rowBytes == 0) return {};
    Transfer& transfer = m_pool.context().transfer;
    const auto rowsOfPiece = static_cast<uint32_t>(kPieceBytes / row.rowBytes);
    std::vector<std::byte> rows;
    for (uint32_t token = range.first; token < range.end();) {
        const uint32_t count = rowsInPlace(range, token, rowsOfPiece);
        rows.resize(size_t{count} * row.rowBytes);
        const std::span<std::byte> bytes(rows);
        const uint64_t cacheRow =
            uint64_t{*m_held.pages[token / kPageTokens]} * kPageTokens + token % kPageTokens;
        const BufferRange onDevice = cache.part(cacheRow * row.rowBytes, bytes.size());
        const auto eachRow = [&](auto convert) {
            for (uint32_t i = 0; i < count; ++i)
                convert(bytes.data() + size_t{i} * row.rowBytes,
                        saved.data() + (token - range.first + i) * row.savedBytes);
        };
        if (direction == Direction::Save) {
            INGLE_TRY(transfer.download(onDevice, bytes));
            eachRow([&](std::byte* device, std::byte* kept) { unpackRow(row, device, kept); });
        } else {
            eachRow([&](std::byte* device, std::byte* kept) { packRow(row, kept, device); });
            INGLE_TRY(transfer.upload(onDevice, bytes));
        }
        token += count;
    }
    return {};
}

Result<SavedState> VulkanSequence::save(TokenRange range, SavedParts parts) const {
    const auto& states = m_pool.spec().states;
    INGLE_TRY(checkSaving(m_pool.spec(), *this, range, parts));
    SavedState saved{.kvType = m_pool.options().kv, .range = range, .parts = parts};
    saved.bytes.resize(savedBytes(range, parts));
    std::span<std::byte> rest(saved.bytes);
    const auto next = [&](size_t bytes) {
        const std::span<std::byte> part = rest.first(bytes);
        rest = rest.subspan(bytes);
        return part;
    };
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const CacheRow& key = m_pool.keyRow(layer);
        INGLE_TRY(
            moveRows(Direction::Save, m_pool.keys(layer), key, range, next(range.count * key.savedBytes)));
        const CacheRow& value = m_pool.valueRow(layer);
        INGLE_TRY(moveRows(Direction::Save, m_pool.values(layer), value, range,
                           next(range.count * value.savedBytes)));
    }
    for (uint32_t i = 0; parts == SavedParts::Everything && i < states.size(); ++i) {
        std::vector<float> state(states[i].elems);
        const auto bytes = std::as_writable_bytes(std::span(state));
        INGLE_TRY(m_pool.context().transfer.download(stateRange(i).part(0, bytes.size()), bytes));
        packState(states[i], range.end(), state, next(savedStateBytes(states[i], range.end())).data());
    }
    return saved;
}

Status VulkanSequence::restore(const SavedState& saved) {
    forgetKeptStates();
    const Status status = fill(saved);
    if (status) return status;
    m_held.cut(0);
    // A device that cannot even clear is lost, and the sequence with it.
    (void)clearStates();
    return status;
}

Status VulkanSequence::makeRoomFor(TokenRange range) {
    if (m_pool.spec().kv.empty()) return {};
    m_held.continueAt(range.first);
    return reserve(range.end());
}

Status VulkanSequence::fill(const SavedState& saved) {
    const TokenRange range = saved.range;
    if (saved.version != SavedState::kVersion || saved.kvType != m_pool.options().kv ||
        saved.bytes.size() != savedBytes(range, saved.parts)) {
        return fail(ErrorCode::Corrupt, "a saved state of {} bytes does not fit this model, which needs {}",
                    saved.bytes.size(), savedBytes(range, saved.parts));
    }
    INGLE_TRY(checkRestoring(m_pool.spec(), *this, saved));
    INGLE_TRY(makeRoomFor(range));
    std::vector<std::byte> bytes = saved.bytes;
    std::span<std::byte> rest(bytes);
    const auto next = [&](size_t count) {
        const std::span<std::byte> part = rest.first(count);
        rest = rest.subspan(count);
        return part;
    };
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const CacheRow& key = m_pool.keyRow(layer);
        INGLE_TRY(
            moveRows(Direction::Restore, m_pool.keys(layer), key, range, next(range.count * key.savedBytes)));
        const CacheRow& value = m_pool.valueRow(layer);
        INGLE_TRY(moveRows(Direction::Restore, m_pool.values(layer), value, range,
                           next(range.count * value.savedBytes)));
    }
    for (uint32_t i = 0; saved.parts == SavedParts::Everything && i < m_pool.spec().states.size(); ++i) {
        const StateSpec& spec = m_pool.spec().states[i];
        std::vector<float> state(spec.elems);
        unpackState(spec, range.end(), next(savedStateBytes(spec, range.end())).data(), state);
        const auto part = std::as_bytes(std::span(state));
        INGLE_TRY(m_pool.context().transfer.upload(stateRange(i).part(0, part.size()), part));
    }
    m_held.length = range.end();
    advance(0);  // pages that nobody sees from there on
    return {};
}

}  // namespace ingle::backend::vulkan
