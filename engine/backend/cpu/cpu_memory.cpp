#include "engine/backend/cpu/cpu_memory.h"

#include <algorithm>
#include <cstring>

namespace ingle::backend::cpu {
namespace {

/// Growing by 1,024 tokens keeps a short chat small without a growth step more often than every few minutes.
constexpr uint32_t kSlabPages = 16;

std::string_view kvFormatName(KvType type) {
    switch (type) {
        case KvType::F32:
            return "F32";
        case KvType::F16:
            return "F16";
        case KvType::Q8:
            return "Q8_0";
    }
    return "F16";
}

}  // namespace

Result<std::unique_ptr<CpuMemoryPool>> CpuMemoryPool::create(const MemorySpec& spec,
                                                             const MemoryOptions& options) {
    std::unique_ptr<CpuMemoryPool> pool(new CpuMemoryPool);
    pool->m_spec = spec;
    pool->m_options = options;
    pool->m_kvFormat = quant::findFormat(kvFormatName(options.kv));
    if (!pool->m_kvFormat)
        return fail(ErrorCode::Unsupported, "no such cache type: {}", kvFormatName(options.kv));
    size_t offset = 0;
    for (const KvLayerSpec& layer : spec.kv) {
        INGLE_TRY_ASSIGN(const size_t keyBytes, quant::rowBytes(*pool->m_kvFormat, layer.keyElems));
        INGLE_TRY_ASSIGN(const size_t valueBytes, quant::rowBytes(*pool->m_kvFormat, layer.valueElems));
        pool->m_layers.push_back({offset, keyBytes, offset + kPageTokens * keyBytes, valueBytes});
        offset += kPageTokens * (keyBytes + valueBytes);
    }
    pool->m_pageBytes = offset;
    if (offset > 0) {
        pool->m_maxPages = (options.contextTokens + kPageTokens - 1) / kPageTokens;
        INGLE_TRY(pool->addSlab());
    }
    return pool;
}

Status CpuMemoryPool::addSlab() {
    const uint32_t pages = std::min(kSlabPages, m_maxPages - m_numPages);
    if (pages == 0) {
        return fail(ErrorCode::OutOfMemory, "the context of {} tokens is full", m_options.contextTokens);
    }
    INGLE_TRY_ASSIGN(base::Buffer slab, base::Buffer::allocate(pages * m_pageBytes));
    for (uint32_t page = pages; page-- > 0;) m_freePages.push_back(slab.data() + page * m_pageBytes);
    m_slabs.push_back(std::move(slab));
    m_numPages += pages;
    return {};
}

Result<std::byte*> CpuMemoryPool::takePage() {
    if (m_freePages.empty()) INGLE_TRY(addSlab());
    std::byte* page = m_freePages.back();
    m_freePages.pop_back();
    return page;
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
    std::unique_ptr<CpuSequence> sequence(new CpuSequence(pool));
    for (const StateSpec& state : pool.spec().states) {
        INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(state.elems * sizeof(float)));
        sequence->m_states.push_back(std::move(buffer));
    }
    sequence->clearStates();
    return sequence;
}

CpuSequence::~CpuSequence() {
    releasePages(0);
}

void CpuSequence::clearStates() {
    for (size_t i = 0; i < m_states.size(); ++i) {
        std::ranges::fill(m_states[i].floats(), m_pool.spec().states[i].initial);
    }
}

void CpuSequence::releasePages(size_t keep) {
    for (size_t page = keep; page < m_pages.size(); ++page) m_pool.returnPage(m_pages[page]);
    m_pages.resize(std::min(keep, m_pages.size()));
}

Status CpuSequence::truncate(uint32_t tokens) {
    if (tokens == m_length) return {};
    if (tokens > m_length) {
        return fail(ErrorCode::InvalidArgument, "cannot truncate {} tokens to {}", m_length, tokens);
    }
    if (tokens > 0 && !m_pool.spec().canTruncate()) {
        return fail(ErrorCode::InvalidArgument, "a recurrent state cannot go back from {} to {} tokens",
                    m_length, tokens);
    }
    if (tokens == 0) clearStates();
    releasePages((size_t{tokens} + kPageTokens - 1) / kPageTokens);
    m_length = tokens;
    return {};
}

Status CpuSequence::reserve(uint32_t tokens) {
    if (m_pool.spec().kv.empty()) return {};
    const size_t before = m_pages.size();
    const size_t wanted = (size_t{tokens} + kPageTokens - 1) / kPageTokens;
    while (m_pages.size() < wanted) {
        Result<std::byte*> page = m_pool.takePage();
        if (!page) {
            releasePages(before);
            return tl::unexpected(page.error());
        }
        m_pages.push_back(*page);
    }
    return {};
}

std::byte* CpuSequence::keyRow(uint32_t layer, uint32_t token) const {
    const auto& layout = m_pool.layout(layer);
    return m_pages[token / kPageTokens] + layout.keyOffset + token % kPageTokens * layout.keyRowBytes;
}

std::byte* CpuSequence::valueRow(uint32_t layer, uint32_t token) const {
    const auto& layout = m_pool.layout(layer);
    return m_pages[token / kPageTokens] + layout.valueOffset + token % kPageTokens * layout.valueRowBytes;
}

Result<SavedState> CpuSequence::save() const {
    SavedState saved;
    saved.kvType = m_pool.options().kv;
    saved.numTokens = m_length;
    const auto append = [&](const std::byte* data, size_t bytes) {
        saved.bytes.insert(saved.bytes.end(), data, data + bytes);
    };
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const auto& layout = m_pool.layout(layer);
        for (uint32_t token = 0; token < m_length; ++token) append(keyRow(layer, token), layout.keyRowBytes);
        for (uint32_t token = 0; token < m_length; ++token)
            append(valueRow(layer, token), layout.valueRowBytes);
    }
    for (const base::Buffer& state : m_states) append(state.data(), state.size());
    return saved;
}

Status CpuSequence::restore(const SavedState& saved) {
    uint64_t expected = 0;
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const auto& layout = m_pool.layout(layer);
        expected += uint64_t{saved.numTokens} * (layout.keyRowBytes + layout.valueRowBytes);
    }
    for (const base::Buffer& state : m_states) expected += state.size();
    if (saved.version != SavedState::kVersion || saved.kvType != m_pool.options().kv ||
        saved.bytes.size() != expected) {
        return fail(ErrorCode::Corrupt, "a saved state of {} bytes does not fit this model, which needs {}",
                    saved.bytes.size(), expected);
    }
    INGLE_TRY(truncate(0));
    INGLE_TRY(reserve(saved.numTokens));
    const std::byte* from = saved.bytes.data();
    const auto take = [&](std::byte* to, size_t bytes) {
        std::memcpy(to, from, bytes);
        from += bytes;
    };
    for (uint32_t layer = 0; layer < m_pool.spec().kv.size(); ++layer) {
        const auto& layout = m_pool.layout(layer);
        for (uint32_t token = 0; token < saved.numTokens; ++token)
            take(keyRow(layer, token), layout.keyRowBytes);
        for (uint32_t token = 0; token < saved.numTokens; ++token)
            take(valueRow(layer, token), layout.valueRowBytes);
    }
    for (base::Buffer& state : m_states) take(state.data(), state.size());
    m_length = saved.numTokens;
    return {};
}

}  // namespace ingle::backend::cpu
