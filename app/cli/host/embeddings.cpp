#include "app/cli/host/embeddings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "ingle/error_ids.h"

namespace ingle::cli {
namespace {

static_assert(std::endian::native == std::endian::little);

/// The beginning of a text, with what the model wants at the end of each.
void shorten(std::vector<TokenId>& text, size_t most) {
    if (most > 0 && text.size() > most)
        text.erase(text.begin() + static_cast<ptrdiff_t>(most) - 1, text.end() - 1);
}

Status refuseLong(const std::vector<TokenId>& ids, size_t most) {
    if (most == 0 || ids.size() <= most) return {};
    return withId<ErrorId::MessageTooLong>(
        fail(ErrorCode::InvalidArgument, "the text is too long: it has {} tokens, and the model reads {}",
             ids.size(), most),
        ids.size(), most);
}

/// As many as the model takes.
Result<std::vector<TokenId>> firstOf(const Embedder& embedder, std::vector<TokenId> ids, bool refusesLong) {
    if (refusesLong) INGLE_TRY(refuseLong(ids, embedder.maxTokens()));
    shorten(ids, embedder.maxTokens());
    return ids;
}

/// The first tokens of a text, as many as the model takes. What comes far behind them need not be cut for
/// that.
Result<std::vector<TokenId>> firstTokens(const Embedder& embedder, const std::string& text, TextUse use,
                                         bool refusesLong) {
    constexpr size_t kBytesPerToken = 128;
    const size_t most = embedder.maxTokens();
    std::vector<TokenId> ids;
    if (most > 0 && text.size() > most * kBytesPerToken) {
        INGLE_TRY_ASSIGN(ids,
                         embedder.tokenize(std::string_view(text).substr(0, most * kBytesPerToken), use));
    }
    // Half of them are far from the cut, which may have changed what is there.
    if (ids.size() <= 2 * most) {
        INGLE_TRY_ASSIGN(ids, embedder.tokenize(text, use));
    }
    return firstOf(embedder, std::move(ids), refusesLong);
}

Result<std::vector<TokenId>> tokensOf(const Embedder& embedder, const protocol::Embed& request,
                                      const std::string& text) {
    if (request.query.empty()) return firstTokens(embedder, text, request.use, request.refusesLong);
    return embedder.tokenizePair(request.query, text);
}

/// What the model makes of a text as the row of a reply.
Status finish(Embedding& embedding, const protocol::Embed& request) {
    if (!request.query.empty()) {
        INGLE_TRY_ASSIGN(const float relevance, relevanceOf(embedding));
        embedding = {1, {relevance}};
        return {};
    }
    if (embedding.values.size() != embedding.dim)
        return fail(ErrorCode::Unsupported, "{}: the model makes no row of numbers of a whole text",
                    request.model);
    if (request.dimensions > 0) INGLE_TRY(truncateRows(embedding, request.dimensions));
    normaliseRows(embedding);
    return {};
}

}  // namespace

Embeddings::Embeddings(Load load) : m_load(std::move(load)) {}

Result<protocol::Embedded> Embeddings::of(const protocol::Embed& request) {
    if (!m_embedder || m_path != request.model) {
        unload();
        INGLE_TRY_ASSIGN(m_embedder, m_load(request.model));
        m_path = request.model;
    }
    if (m_embedder->isClassifier() && request.query.empty())
        return fail(ErrorCode::Unsupported, "{}: the model scores pairs of texts and embeds none",
                    request.model);
    std::vector<std::vector<TokenId>> texts;
    for (const std::string& text : request.texts) {
        INGLE_TRY_ASSIGN(auto ids, tokensOf(*m_embedder, request, text));
        texts.push_back(std::move(ids));
    }
    for (const std::vector<TokenId>& ids : request.ids) {
        INGLE_TRY_ASSIGN(auto read, firstOf(*m_embedder, ids, request.refusesLong));
        texts.push_back(std::move(read));
    }
    INGLE_TRY_ASSIGN(auto embeddings, m_embedder->embed(texts));
    protocol::Embedded reply;
    for (const auto& text : texts) reply.tokens += static_cast<uint32_t>(text.size());
    for (Embedding& each : embeddings) {
        INGLE_TRY(finish(each, request));
        reply.dim = each.dim;
        if (!std::ranges::all_of(each.values, [](float value) { return std::isfinite(value); }))
            return fail(ErrorCode::Device, "{}: what the model makes of this text are no numbers",
                        request.model);
        const auto bytes = std::as_bytes(std::span(each.values));
        reply.rows.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return reply;
}

void Embeddings::unload() {
    m_embedder.reset();
    m_path.clear();
}

}  // namespace ingle::cli
