/// A loaded model's part of the snapshot store: which records hold a prefix of tokens, and their keys.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/session/loading/model.h"
#include "engine/session/snapshots/model_hash.h"
#include "engine/session/snapshots/snapshot_store.h"

namespace ingle::session {

/// Records of a model with a key/value cache hold one page of 64 tokens each, so that conversations share
/// those of a common beginning; the tokens after the last full page are a record of their own. Records of a
/// recurrent model hold its whole state. Of a model with both, pages are without states, and the record of
/// what follows the last page, be it nothing, has them: one can go on from there only. A record's key covers
/// the model's hash, its configuration and every token up to the record's end, so that no record can serve
/// another prefix. One thread.
class ModelSnapshots {
  public:
    /// Without a store nothing is ever found or kept. `model` must outlive this.
    ModelSnapshots(const Model& model, std::shared_ptr<SnapshotStore> store);

    /// How many of the first tokens of `ids` can be restored.
    size_t longestPrefix(std::span<const TokenId> ids) const;
    /// Restores as many as it can of what longestPrefix() found and returns how many those are: a damaged
    /// record costs only the tokens after it. `memory` holds exactly these then. Errors: Device.
    Result<size_t> restore(std::span<const TokenId> ids, backend::SequenceMemory& memory) const;

    enum class Extent {
        FullPages,   ///< only what is a full page (nothing for recurrent models)
        Everything,  ///< up to the last token
    };
    /// Keeps `memory`, which holds `ids`, for `conversation` ("" keeps nothing). What a failing device made
    /// of it is not kept: values that are not finite.
    void save(std::span<const TokenId> ids, const backend::SequenceMemory& memory, Extent extent,
              const std::string& conversation) const;

    /// Keeps what was read of a text for the document `keeper`: full pages, and what they do not hold
    /// (states, and with `isWhole` the tokens after the last page). What that replaces of its `earlierTokens`
    /// goes.
    void saveReading(std::span<const TokenId> ids, const backend::SequenceMemory& memory, bool isWhole,
                     size_t earlierTokens, const std::string& keeper) const;
    /// Of a text of so many tokens, on the disk.
    uint64_t bytesOf(uint32_t tokens) const;

    bool hasStore() const { return m_store != nullptr; }
    /// False while the model's hash is being computed: nothing is found or kept until then.
    bool ready() const { return m_store && fingerprint().has_value(); }
    /// Nothing without a store, or as long as it is being computed.
    std::optional<std::string> modelHash() const { return m_hash ? m_hash->get() : std::nullopt; }

  private:
    std::optional<SnapshotKey> fingerprint() const;
    void save(const std::vector<SnapshotKey>& keys, const backend::SequenceMemory& memory, Extent extent,
              const SnapshotOwner& owner) const;
    /// The record that has the states of a prefix.
    SnapshotKey stateKey(const SnapshotKey& prefix) const;
    /// Keys of the prefixes of 1, 2, … ids.size() tokens.
    std::vector<SnapshotKey> prefixKeys(const SnapshotKey& fingerprint, std::span<const TokenId> ids) const;
    /// The records that make up the longest prefix, in order.
    struct Found {
        SnapshotKey key;
        backend::TokenRange range;
        backend::SavedParts parts = backend::SavedParts::Everything;
    };
    bool hasPages() const { return !m_model.memorySpec().kv.empty(); }
    bool isHybrid() const { return hasPages() && m_model.memorySpec().hasStates(); }
    std::vector<Found> find(std::span<const TokenId> ids) const;
    uint64_t stateBytes(const Found& record) const {
        const bool hasStates = record.parts == backend::SavedParts::Everything;
        return (hasStates ? backend::savedStateBytes(m_model.memorySpec(), record.range.end()) : 0) +
               m_bytesPerToken * record.range.count;
    }

    const Model& m_model;
    std::shared_ptr<SnapshotStore> m_store;
    std::unique_ptr<ModelHash> m_hash;  ///< null without a store
    std::string m_configuration;
    uint64_t m_bytesPerToken = 0;
};

}  // namespace ingle::session
