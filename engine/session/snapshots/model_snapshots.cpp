#include "engine/session/snapshots/model_snapshots.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <deque>
#include <future>

namespace ingle::session {
namespace {

using backend::kPageTokens;
using backend::TokenRange;

SnapshotKey toKey(XXH128_hash_t hash) {
    return {{hash.high64, hash.low64}};
}

/// Records that are read at the same time.
constexpr size_t kReadAhead = 3;

/// The key of what follows the last full page of a prefix, states included, where pages have none.
SnapshotKey withStates(const SnapshotKey& prefix) {
    constexpr uint64_t kSeed = 1;  // apart from the keys of pages
    return toKey(XXH3_128bits_withSeed(&prefix, sizeof prefix, kSeed));
}

/// Whatever changes what is in memory, beside the weights. The context does not: no family's positions depend
/// on it, and it may differ from start to start with the memory that is free.
std::string describe(const OpenedModel& opened, const LoadOptions& options) {
    std::string text = fmt::format("{} kv{} v{} act{} ref{}", opened.bound.facts().arch,
                                   static_cast<int>(options.kv), backend::SavedState::kVersion,
                                   static_cast<int>(options.activations), options.referenceKernels);
    if (opened.bound.facts().forLongContext) text += " long";
    std::map<std::string_view, uint32_t>
        products;  // of formats whose products were others in earlier versions
    for (const auto& [name, tensor] : opened.file.tensors)
        if (tensor.format->productVersion > 1) products[tensor.format->name] = tensor.format->productVersion;
    for (const auto& [format, version] : products) text += fmt::format(" {}:{}", format, version);
    for (const auto& [key, value] : options.overrides) text += fmt::format(" {}={}", key, value);
    return text;
}

}  // namespace

ModelSnapshots::ModelSnapshots(const Model& model, std::shared_ptr<SnapshotStore> store)
    : m_model(model),
      m_store(std::move(store)),
      m_configuration(describe(model.opened(), model.options())),
      m_bytesPerToken(backend::cacheBytesPerToken(model.memorySpec(), model.options().kv)) {
    if (!m_store) return;
    m_hash =
        std::make_unique<ModelHash>(model.opened().file.sources, fmt::format("{}/models", m_store->folder()));
}

std::optional<SnapshotKey> ModelSnapshots::fingerprint() const {
    const auto hash = modelHash();
    if (!hash) return std::nullopt;
    const std::string text = fmt::format("{} {}", *hash, m_configuration);
    return toKey(XXH3_128bits(text.data(), text.size()));
}

std::vector<SnapshotKey> ModelSnapshots::prefixKeys(const SnapshotKey& fingerprint,
                                                    std::span<const TokenId> ids) const {
    std::vector<SnapshotKey> keys;
    keys.reserve(ids.size());
    // A key is the hash of the page start's key and the tokens from there on.
    struct {
        SnapshotKey pageStart;
        std::array<TokenId, kPageTokens> tokens;
    } hashed{fingerprint, {}};
    for (size_t i = 0; i < ids.size(); ++i) {
        const size_t count = i % kPageTokens + 1;
        hashed.tokens[count - 1] = ids[i];
        keys.push_back(toKey(XXH3_128bits(&hashed, sizeof hashed.pageStart + count * sizeof(TokenId))));
        if (count == kPageTokens) hashed.pageStart = keys.back();
    }
    return keys;
}

std::vector<ModelSnapshots::Found> ModelSnapshots::find(std::span<const TokenId> ids) const {
    const auto print = m_store ? fingerprint() : std::nullopt;
    if (!print) return {};
    m_store->refresh();
    const std::vector<SnapshotKey> keys = prefixKeys(*print, ids);
    const bool pages = hasPages();
    const auto partsOfPages = isHybrid() ? backend::SavedParts::Cache : backend::SavedParts::Everything;
    std::vector<Found> found;
    uint32_t have = 0;
    while (pages && have + kPageTokens <= keys.size() && m_store->contains(keys[have + kPageTokens - 1])) {
        found.push_back({keys[have + kPageTokens - 1], {have, kPageTokens}, partsOfPages});
        have += kPageTokens;
    }
    auto end =
        static_cast<uint32_t>(pages ? std::min<size_t>(keys.size(), have + kPageTokens - 1) : keys.size());
    if (isHybrid()) {
        while (end > 0 && !m_store->contains(withStates(keys[end - 1]))) --end;
        if (end == 0) return {};
        const uint32_t numPages = end / kPageTokens;
        found.resize(numPages);
        found.push_back({withStates(keys[end - 1]), {numPages * kPageTokens, end % kPageTokens}});
        return found;
    }
    for (; end > have; --end) {
        if (!m_store->contains(keys[end - 1])) continue;
        found.push_back({keys[end - 1], {have, end - have}});
        break;
    }
    return found;
}

size_t ModelSnapshots::longestPrefix(std::span<const TokenId> ids) const {
    const std::vector<Found> found = find(ids);
    return found.empty() ? 0 : found.back().range.end();
}

Result<size_t> ModelSnapshots::restore(std::span<const TokenId> ids, backend::SequenceMemory& memory) const {
    INGLE_TRY(memory.truncate(0));
    bool isBroken = false;
    // Others are read and unpacked while one is taken in.
    const std::vector<Found> records = find(ids);
    std::deque<std::future<Result<backend::SavedState>>> ahead;
    auto next = records.begin();
    for (const Found& record : records) {
        for (; next != records.end() && ahead.size() < kReadAhead; ++next)
            ahead.push_back(std::async(std::launch::async, [this, &wanted = *next] {
                return m_store->read(wanted.key, m_model.options().kv, wanted.range, stateBytes(wanted));
            }));
        auto state = ahead.front().get();
        ahead.pop_front();
        if (!state) {
            isBroken = true;
            // One that cannot be read spoils the others of a hybrid: those that are damaged, too, are found
            // and removed now.
            if (isHybrid()) continue;
            break;
        }
        if (isBroken) continue;
        state->parts = record.parts;
        const Status restored = memory.restore(*state);
        if (restored) continue;
        if (restored.error().code == ErrorCode::Device) return tl::unexpected(restored.error());
        break;  // it is empty now
    }
    // Pages without the states behind them are of no use.
    if (isBroken && isHybrid()) INGLE_TRY(memory.truncate(0));
    return size_t{memory.length()};
}

void ModelSnapshots::save(std::span<const TokenId> ids, const backend::SequenceMemory& memory, Extent extent,
                          const std::string& conversation) const {
    const auto print = m_store && !conversation.empty() ? fingerprint() : std::nullopt;
    if (print) save(prefixKeys(*print, ids), memory, extent, {OwnerKind::Conversation, conversation});
}

void ModelSnapshots::saveReading(std::span<const TokenId> ids, const backend::SequenceMemory& memory,
                                 bool isWhole, size_t earlierTokens, const std::string& keeper) const {
    const auto print = m_store ? fingerprint() : std::nullopt;
    if (!print) return;
    const std::vector<SnapshotKey> keys = prefixKeys(*print, ids);
    const SnapshotOwner owner{OwnerKind::Document, keeper};
    const bool hasStates = m_model.memorySpec().hasStates();
    save(keys, memory, isWhole || hasStates ? Extent::Everything : Extent::FullPages, owner);
    if (hasStates && earlierTokens > 0 && earlierTokens < ids.size())
        m_store->replace(stateKey(keys[earlierTokens - 1]), stateKey(keys.back()), owner);
}

uint64_t ModelSnapshots::bytesOf(uint32_t tokens) const {
    return m_bytesPerToken * tokens + backend::savedStateBytes(m_model.memorySpec(), tokens);
}

SnapshotKey ModelSnapshots::stateKey(const SnapshotKey& prefix) const {
    return isHybrid() ? withStates(prefix) : prefix;
}

void ModelSnapshots::save(const std::vector<SnapshotKey>& keys, const backend::SequenceMemory& memory,
                          Extent extent, const SnapshotOwner& owner) const {
    const auto length = static_cast<uint32_t>(keys.size());
    uint32_t first = 0;
    const auto write = [&](uint32_t end, const SnapshotKey& key, backend::SavedParts parts) {
        const TokenRange range{first, end - first};
        m_store->write(key, owner, [&]() -> Result<backend::SavedState> {
            INGLE_TRY_ASSIGN(backend::SavedState state, memory.save(range, parts));
            if (backend::isFinite(state, m_model.memorySpec())) return state;
            return fail(ErrorCode::Device, "the memory of tokens {} to {} holds values that are not numbers",
                        range.first, range.end());
        });
        first = end;
    };
    using enum backend::SavedParts;
    while (hasPages() && first + kPageTokens <= length) {
        const uint32_t end = first + kPageTokens;
        write(end, keys[end - 1], isHybrid() ? Cache : Everything);
    }
    if (extent != Extent::Everything || length == 0) return;
    if (isHybrid())
        write(length, withStates(keys[length - 1]), Everything);
    else if (first < length)
        write(length, keys[length - 1], Everything);
}

}  // namespace ingle::session
