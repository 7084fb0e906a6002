#include "engine/backend/cpu/cpu_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/kernels/kernel_table.h"

namespace ingle::backend::cpu {
namespace {

/// Growing by 1,024 tokens keeps a short chat small without a growth step more often than every few minutes.
constexpr uint32_t kSlabPages = 16;

/// Copies `count` numbers of 2 or 4 bytes that lie so many bytes apart.
void copyNumbers(const std::byte* from, size_t fromStep, std::byte* to, size_t toStep, size_t count,
                 size_t bytes) {
    const auto copy = [&]<typename Number>(Number) {
        for (size_t i = 0; i < count; ++i) std::memcpy(to + i * toStep, from + i * fromStep, sizeof(Number));
    };
    bytes == sizeof(uint16_t) ? copy(uint16_t{}) : copy(uint32_t{});
}

/// Calls copy(bytes in a row of blocks, bytes in their turned page, how many) for each part of one key's
/// first `numBlocks` blocks.
template <typename Copy>
void forPartsOfKey(size_t numBlocks, size_t key, const Copy& copy) {
    using kernels::TurnedBlock;
    for (size_t block = 0; block < numBlocks; ++block) {
        const size_t inRow = block * TurnedBlock::kRowBytes;
        const size_t inPage = block * TurnedBlock::kBytes;
        copy(inRow, inPage + key * TurnedBlock::kScaleBytes, TurnedBlock::kScaleBytes);
        for (size_t group = 0; group < TurnedBlock::kGroups; ++group)
            copy(inRow + TurnedBlock::kScaleBytes + group * TurnedBlock::kGroup,
                 inPage + TurnedBlock::kNumbersAt + group * TurnedBlock::kGroupBytes +
                     key * TurnedBlock::kGroup,
                 TurnedBlock::kGroup);
    }
}

}  // namespace

Result<std::unique_ptr<CpuMemoryPool>> CpuMemoryPool::create(const MemorySpec& spec,
                                                             const MemoryOptions& options) {
    std::unique_ptr<CpuMemoryPool> pool(new CpuMemoryPool);
    pool->m_spec = spec;
    pool->m_options = options;
    pool->m_kvFormat = &cacheFormat(options.kv);
    size_t offset = 0;
    for (const KvLayerSpec& layer : spec.kv) {
        const size_t keyBytes = cacheRowBytes(*pool->m_kvFormat, layer.keyElems);
        const size_t valueBytes = cacheRowBytes(*pool->m_kvFormat, layer.valueElems);
        const size_t block = pool->m_kvFormat->blockElems;
        const bool wholeBlocks = block == 1 || (layer.keyDim > 0 && layer.keyDim % block == 0);
        const bool turned = wholeBlocks && valueBytes > 0;
        pool->m_layers.push_back({offset, keyBytes, offset + kPageTokens * keyBytes, valueBytes, turned});
        offset += kPageTokens * (keyBytes + valueBytes);
    }
    pool->m_pageBytes = offset;
    if (offset > 0) {
        pool->m_maxPages = (options.maxTokens + kPageTokens - 1) / kPageTokens;
        INGLE_TRY(pool->addSlab());
    }
    return pool;
}

Status CpuMemoryPool::addSlab() {
    const uint32_t pages = std::min(kSlabPages, m_maxPages - m_numPages);
    if (pages == 0) {
        return fail(ErrorCode::OutOfMemory, "the memory for {} tokens is full", m_options.maxTokens);
    }
    INGLE_TRY_ASSIGN(base::Buffer slab, base::Buffer::allocate(pages * m_pageBytes));
    m_freePages.reserve(m_numPages + pages);  // giving a page back must not fail
    for (uint32_t page = pages; page-- > 0;) m_freePages.push_back(slab.data() + page * m_pageBytes);
    m_slabs.push_back(std::move(slab));
    m_numPages += pages;
    return {};
}

Result<std::shared_ptr<std::byte>> CpuMemoryPool::takePage() {
    if (m_freePages.empty()) INGLE_TRY(addSlab());
    std::byte* page = m_freePages.back();
    m_freePages.pop_back();
    return std::shared_ptr<std::byte>(page, [this](std::byte* unused) { m_freePages.push_back(unused); });
}

Status CpuMemoryPool::beginSequence() {
    const bool limited = !m_spec.states.empty() && m_options.maxSequences > 0;
    if (limited && m_numSequences >= m_options.maxSequences) {
        return fail(ErrorCode::OutOfMemory, "the memory for {} conversations is full",
                    m_options.maxSequences);
    }
    ++m_numSequences;
    return {};
}

Result<std::vector<base::Buffer>> CpuMemoryPool::takeKeptStates() {
    std::vector<base::Buffer> taken;
    if (!m_spareStates.empty()) {
        taken = std::move(m_spareStates.back());
        m_spareStates.pop_back();
        return taken;
    }
    for (const StateSpec& state : m_spec.states) {
        INGLE_TRY_ASSIGN(base::Buffer buffer,
                         base::Buffer::allocate(state.ring ? 0 : state.elems * sizeof(float)));
        taken.push_back(std::move(buffer));
    }
    INGLE_TRY(beginSequence());
    return taken;
}

Result<std::unique_ptr<SequenceMemory>> CpuMemoryPool::createSequence() {
    return CpuSequence::create(*this);
}

uint64_t CpuMemoryPool::reservedBytes() const {
    uint64_t bytes = uint64_t{m_numPages} * m_pageBytes;
    for (const StateSpec& state : m_spec.states) bytes += uint64_t{state.elems} * sizeof(float);
    return bytes;
}

Result<std::unique_ptr<CpuSequence>> CpuSequence::create(CpuMemoryPool& pool) {
    INGLE_TRY(pool.beginSequence());
    std::unique_ptr<CpuSequence> sequence(new CpuSequence(pool));
    for (const StateSpec& state : pool.spec().states) {
        INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(state.elems * sizeof(float)));
        sequence->m_states.push_back(std::move(buffer));
    }
    sequence->clearStates();
    return sequence;
}

void CpuSequence::clearStates() {
    for (size_t i = 0; i < m_states.size(); ++i) {
        std::ranges::fill(m_states[i].floats(), m_pool.spec().states[i].initial);
    }
}

Status CpuSequence::truncate(uint32_t tokens) {
    INGLE_TRY(checkTruncation(m_pool.spec(), *this, tokens));
    if (tokens == 0) {
        clearStates();
    } else if (tokens == m_statesKeptAt && tokens < m_held.length) {
        for (size_t i = 0; i < m_states.size(); ++i)
            if (m_keptStates[i].size() > 0) std::swap(m_states[i], m_keptStates[i]);
    }
    m_held.cut(tokens);
    forgetKeptStates();
    return {};
}

Status CpuSequence::keepStates(uint32_t tokens) {
    const bool allInChunks = std::ranges::all_of(
        m_pool.spec().states, [](const StateSpec& state) { return state.ring.has_value(); });
    if (allInChunks) return {};
    INGLE_TRY_ASSIGN(m_keptStates, m_pool.takeKeptStates());
    m_statesKeptAt = tokens;
    return {};
}

void CpuSequence::forgetKeptStates() {
    if (m_statesKeptAt) m_pool.giveKeptStates(std::move(m_keptStates));
    m_keptStates.clear();
    m_statesKeptAt.reset();
}

Result<std::unique_ptr<SequenceMemory>> CpuSequence::fork(uint32_t tokens) const {
    INGLE_TRY(checkTruncation(m_pool.spec(), *this, tokens));
    INGLE_TRY_ASSIGN(auto copy, create(m_pool));
    if (tokens == 0) return copy;
    copy->m_held = m_held.beginning(tokens);
    const bool fromKept = tokens == m_statesKeptAt && tokens < m_held.length;
    for (size_t i = 0; i < m_states.size(); ++i) {
        const base::Buffer& from = fromKept && m_keptStates[i].size() > 0 ? m_keptStates[i] : m_states[i];
        std::ranges::copy(from.floats(), copy->m_states[i].floats().begin());
    }
    return copy;
}

Status CpuSequence::reserve(uint32_t tokens) {
    if (m_pool.spec().kv.empty()) return {};
    const size_t before = m_held.pages.size();
    // The page that is half full must be this sequence's alone before it is written to.
    const bool copyLast = m_held.mustCopyLast(tokens);
    std::shared_ptr<std::byte> last;
    if (copyLast) {
        INGLE_TRY_ASSIGN(last, m_pool.takePage());
        std::memcpy(last.get(), m_held.pages[before - 1].get(), m_pool.pageBytes());
    }
    while (m_held.pages.size() < pagesFor(tokens)) {
        auto page = m_pool.takePage();
        if (!page) {
            m_held.pages.resize(before);
            return tl::unexpected(page.error());
        }
        m_held.pages.push_back(std::move(*page));
    }
    if (copyLast) m_held.pages[before - 1] = std::move(last);
    return {};
}

std::byte* CpuSequence::pageOf(uint32_t token) const {
    const size_t page = token / kPageTokens;
    INGLE_CHECK(page < m_held.pages.size() && m_held.pages[page],
                "token {} of a sequence of {} pages, kept from {} on", token, m_held.pages.size(),
                m_held.firstKept);
    return m_held.pages[page].get();
}

std::byte* CpuSequence::keyPage(uint32_t layer, uint32_t token) const {
    return pageOf(token) + m_pool.layout(layer).keyOffset;
}

std::byte* CpuSequence::keyRow(uint32_t layer, uint32_t token) const {
    return keyPage(layer, token) + token % kPageTokens * m_pool.layout(layer).keyRowBytes;
}

void CpuSequence::readKey(uint32_t layer, uint32_t token, std::byte* row) const {
    const auto& layout = m_pool.layout(layer);
    if (!layout.keysTurned) {
        std::memcpy(row, keyRow(layer, token), layout.keyRowBytes);
        return;
    }
    const quant::QuantFormat& format = m_pool.kvFormat();
    const size_t bytes = format.blockBytes;
    const size_t key = token % kPageTokens;
    const std::byte* page = keyPage(layer, token);
    if (format.blockElems == 1) {
        copyNumbers(page + key * bytes, kPageTokens * bytes, row, bytes, layout.keyRowBytes / bytes, bytes);
    } else {
        forPartsOfKey(layout.keyRowBytes / bytes, key, [&](size_t inRow, size_t inPage, size_t count) {
            std::memcpy(row + inRow, page + inPage, count);
        });
    }
}

void CpuSequence::writeKey(uint32_t layer, uint32_t token, size_t first,
                           std::span<const std::byte> numbers) const {
    const quant::QuantFormat& format = m_pool.kvFormat();
    if (!m_pool.layout(layer).keysTurned) {
        std::ranges::copy(numbers, keyRow(layer, token) + first / format.blockElems * format.blockBytes);
        return;
    }
    const size_t bytes = format.blockBytes;
    const size_t key = token % kPageTokens;
    std::byte* page = keyPage(layer, token) + first / format.blockElems * kPageTokens * bytes;
    if (format.blockElems == 1) {
        copyNumbers(numbers.data(), bytes, page + key * bytes, kPageTokens * bytes, numbers.size() / bytes,
                    bytes);
    } else {
        forPartsOfKey(numbers.size() / bytes, key, [&](size_t inRow, size_t inPage, size_t count) {
            std::memcpy(page + inPage, numbers.data() + inRow, count);
        });
    }
}

std::byte* CpuSequence::valueRow(uint32_t layer, uint32_t token) const {
    const auto& layout = m_pool.layout(layer);
    return pageOf(token) + layout.valueOffset + token % kPageTokens * layout.valueRowBytes;
}

uint64_t CpuSequence::savedBytes(TokenRange range, SavedParts parts) const {
    uint64_t bytes = 0;
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const auto& layout = m_pool.layout(layer);
        bytes += uint64_t{range.count} * (layout.keyRowBytes + layout.valueRowBytes);
    }
    if (parts == SavedParts::Cache) return bytes;
    return bytes + savedStateBytes(m_pool.spec(), range.end());
}

Result<SavedState> CpuSequence::save(TokenRange range, SavedParts parts) const {
    INGLE_TRY(checkSaving(m_pool.spec(), *this, range, parts));
    SavedState saved{.kvType = m_pool.options().kv, .range = range, .parts = parts};
    saved.bytes.resize(savedBytes(range, parts));
    std::byte* to = saved.bytes.data();
    const auto append = [&](const std::byte* data, size_t bytes) {
        std::memcpy(to, data, bytes);
        to += bytes;
    };
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const auto& layout = m_pool.layout(layer);
        for (uint32_t token = range.first; token < range.end(); ++token, to += layout.keyRowBytes)
            readKey(layer, token, to);
        for (uint32_t token = range.first; token < range.end(); ++token)
            append(valueRow(layer, token), layout.valueRowBytes);
    }
    if (parts == SavedParts::Cache) return saved;
    for (size_t i = 0; i < m_states.size(); ++i) {
        const StateSpec& state = m_pool.spec().states[i];
        packState(state, range.end(), m_states[i].floats(), to);
        to += savedStateBytes(state, range.end());
    }
    return saved;
}

void CpuSequence::clear() {
    clearStates();
    m_held.cut(0);
}

Status CpuSequence::makeRoomFor(TokenRange range) {
    if (m_pool.spec().kv.empty()) return {};
    m_held.continueAt(range.first);
    return reserve(range.end());
}

Status CpuSequence::restore(const SavedState& saved) {
    const TokenRange range = saved.range;
    forgetKeptStates();
    Status status;
    if (saved.version != SavedState::kVersion || saved.kvType != m_pool.options().kv ||
        saved.bytes.size() != savedBytes(range, saved.parts)) {
        status = fail(ErrorCode::Corrupt, "a saved state of {} bytes does not fit this model, which needs {}",
                      saved.bytes.size(), savedBytes(range, saved.parts));
    } else {
        status = checkRestoring(m_pool.spec(), *this, saved);
        if (status) status = makeRoomFor(range);
    }
    if (!status) {
        clear();
        return status;
    }
    const std::byte* from = saved.bytes.data();
    const auto take = [&](std::byte* to, size_t bytes) {
        std::memcpy(to, from, bytes);
        from += bytes;
    };
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const auto& layout = m_pool.layout(layer);
        for (uint32_t token = range.first; token < range.end(); ++token, from += layout.keyRowBytes)
            writeKey(layer, token, 0, {from, layout.keyRowBytes});
        for (uint32_t token = range.first; token < range.end(); ++token)
            take(valueRow(layer, token), layout.valueRowBytes);
    }
    if (saved.parts == SavedParts::Everything) {
        for (size_t i = 0; i < m_states.size(); ++i) {
            const StateSpec& state = m_pool.spec().states[i];
            unpackState(state, range.end(), from, m_states[i].floats());
            from += savedStateBytes(state, range.end());
        }
    }
    m_held.length = range.end();
    advance(0);  // pages that nobody sees from there on
    return {};
}

}  // namespace ingle::backend::cpu
