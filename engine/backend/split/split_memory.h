/// What a sequence of a split model remembers: a part on each of two backends.
#pragma once

#include <memory>

#include "engine/backend/split/plan_cut.h"

namespace ingle::backend::split {

/// Both parts are made and kept alike, so that they always have the same length.
class SplitPool final : public MemoryPool {
  public:
    /// `cut` of `spec`; `options` of both pools.
    SplitPool(MemorySpec spec, MemoryCut cut, KvType kv, std::unique_ptr<MemoryPool> front,
              std::unique_ptr<MemoryPool> back)
        : m_spec(std::move(spec)),
          m_cut(std::move(cut)),
          m_kv(kv),
          m_front(std::move(front)),
          m_back(std::move(back)) {}

    Result<std::unique_ptr<SequenceMemory>> createSequence() override;
    uint64_t reservedBytes() const override { return m_front->reservedBytes() + m_back->reservedBytes(); }

    const MemorySpec& spec() const { return m_spec; }
    const MemoryCut& cut() const { return m_cut; }
    KvType kv() const { return m_kv; }
    MemoryPool& front() { return *m_front; }
    MemoryPool& back() { return *m_back; }

  private:
    MemorySpec m_spec;
    MemoryCut m_cut;
    KvType m_kv;
    std::unique_ptr<MemoryPool> m_front, m_back;
};

class SplitSequence final : public SequenceMemory {
  public:
    SplitSequence(const SplitPool& pool, std::unique_ptr<SequenceMemory> front,
                  std::unique_ptr<SequenceMemory> back)
        : m_pool(pool), m_front(std::move(front)), m_back(std::move(back)) {}

    uint32_t length() const override { return m_front->length(); }
    uint32_t firstKept() const override;
    std::optional<uint32_t> statesKeptAt() const override;
    Status reserve(uint32_t tokens) override;
    Status truncate(uint32_t tokens) override;
    Result<SavedState> save(TokenRange range, SavedParts parts) const override;
    Status restore(const SavedState& state) override;
    Result<std::unique_ptr<SequenceMemory>> fork(uint32_t tokens) const override;

    /// After a step that failed: as long as before it. False: that cannot be, and it is empty.
    bool takeBackTo(uint32_t tokens);

    const SplitPool& pool() const { return m_pool; }
    SequenceMemory& front() { return *m_front; }
    SequenceMemory& back() { return *m_back; }

  private:
    const SplitPool& m_pool;
    std::unique_ptr<SequenceMemory> m_front, m_back;
};

}  // namespace ingle::backend::split
