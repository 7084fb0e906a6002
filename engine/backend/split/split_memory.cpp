#include "engine/backend/split/split_memory.h"

#include <algorithm>
#include <utility>

namespace ingle::backend::split {
namespace {

/// Bytes of the whole, in order, each of which belongs to the front or to the back.
struct Piece {
    bool inFront = false;
    uint64_t bytes = 0;
};

std::vector<Piece> piecesOf(const SplitPool& pool, TokenRange range, SavedParts parts) {
    std::vector<Piece> pieces;
    const MemoryCut& cut = pool.cut();
    const auto add = [&](const std::vector<uint32_t>& inFront, uint32_t index, uint64_t bytes) {
        pieces.push_back({std::ranges::binary_search(inFront, index), bytes});
    };
    const quant::QuantFormat& format = cacheFormat(pool.kv());
    for (uint32_t i = 0; i < pool.spec().kv.size(); ++i) {
        const KvLayerSpec& layer = pool.spec().kv[i];
        const uint64_t rowBytes =
            cacheRowBytes(format, layer.keyElems) + cacheRowBytes(format, layer.valueElems);
        add(cut.front.kv, i, rowBytes * range.count);
    }
    if (parts == SavedParts::Cache) return pieces;
    for (uint32_t i = 0; i < pool.spec().states.size(); ++i)
        add(cut.front.states, i, savedStateBytes(pool.spec().states[i], range.end()));
    return pieces;
}

}  // namespace

Result<std::unique_ptr<SequenceMemory>> SplitPool::createSequence() {
    INGLE_TRY_ASSIGN(auto front, m_front->createSequence());
    INGLE_TRY_ASSIGN(auto back, m_back->createSequence());
    return std::make_unique<SplitSequence>(*this, std::move(front), std::move(back));
}

uint32_t SplitSequence::firstKept() const {
    return std::max(m_front->firstKept(), m_back->firstKept());
}

std::optional<uint32_t> SplitSequence::statesKeptAt() const {
    // Only a part whose states are not all in chunks keeps any.
    const auto front = m_front->statesKeptAt();
    return front ? front : m_back->statesKeptAt();
}

Status SplitSequence::reserve(uint32_t tokens) {
    INGLE_TRY(m_front->reserve(tokens));
    return m_back->reserve(tokens);
}

Status SplitSequence::truncate(uint32_t tokens) {
    INGLE_TRY(checkTruncation(m_pool.spec(), *this, tokens));
    INGLE_TRY(m_front->truncate(tokens));
    return m_back->truncate(tokens);
}

Result<SavedState> SplitSequence::save(TokenRange range, SavedParts parts) const {
    INGLE_TRY(checkSaving(m_pool.spec(), *this, range, parts));
    INGLE_TRY_ASSIGN(SavedState front, m_front->save(range, parts));
    INGLE_TRY_ASSIGN(const SavedState back, m_back->save(range, parts));
    std::vector<std::byte> bytes;
    bytes.reserve(front.bytes.size() + back.bytes.size());
    auto fromFront = front.bytes.begin();
    auto fromBack = back.bytes.begin();
    for (const Piece& piece : piecesOf(m_pool, range, parts)) {
        const auto count = static_cast<std::ptrdiff_t>(piece.bytes);
        if (piece.inFront)
            bytes.insert(bytes.end(), std::exchange(fromFront, fromFront + count), fromFront);
        else
            bytes.insert(bytes.end(), std::exchange(fromBack, fromBack + count), fromBack);
    }
    front.bytes = std::move(bytes);
    return front;
}

Status SplitSequence::restore(const SavedState& saved) {
    const std::vector<Piece> pieces = piecesOf(m_pool, saved.range, saved.parts);
    uint64_t needed = 0;
    for (const Piece& piece : pieces) needed += piece.bytes;
    Status status;
    if (saved.version != SavedState::kVersion || saved.kvType != m_pool.kv() ||
        saved.bytes.size() != needed) {
        status = fail(ErrorCode::Corrupt, "a saved state of {} bytes does not fit this model, which needs {}",
                      saved.bytes.size(), needed);
    } else {
        SavedState front{.kvType = saved.kvType, .range = saved.range, .parts = saved.parts};
        SavedState back = front;
        auto from = saved.bytes.begin();
        for (const Piece& piece : pieces) {
            std::vector<std::byte>& to = piece.inFront ? front.bytes : back.bytes;
            const auto end = from + static_cast<std::ptrdiff_t>(piece.bytes);
            to.insert(to.end(), from, end);
            from = end;
        }
        status = m_front->restore(front);
        if (status) status = m_back->restore(back);
    }
    if (!status) (void)takeBackTo(0);
    return status;
}

Result<std::unique_ptr<SequenceMemory>> SplitSequence::fork(uint32_t tokens) const {
    INGLE_TRY(checkTruncation(m_pool.spec(), *this, tokens));
    INGLE_TRY_ASSIGN(auto front, m_front->fork(tokens));
    INGLE_TRY_ASSIGN(auto back, m_back->fork(tokens));
    return std::make_unique<SplitSequence>(m_pool, std::move(front), std::move(back));
}

bool SplitSequence::takeBackTo(uint32_t tokens) {
    const auto canGoBack = [&](SequenceMemory& part) {
        return part.length() == tokens || (part.length() > tokens && part.truncate(tokens));
    };
    if (canGoBack(*m_front) && canGoBack(*m_back)) return true;
    // A lost device takes nothing back; then its memory is left altogether.
    (void)m_front->truncate(0);
    (void)m_back->truncate(0);
    return false;
}

}  // namespace ingle::backend::split
