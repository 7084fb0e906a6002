#include "app/desktop/documents/passage_embedder.h"

#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/while_alive.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

/// Asked for at once: a usual passage, which a large embedding model on a slow computer reads in about a
/// second. Whoever asks something waits so long at most.
constexpr uint64_t kBytesAtOnce = 1'200;

}  // namespace

PassageEmbedder::PassageEmbedder(StorageThread& storage, EngineClient& engine, ModelInUse& models,
                                 QObject* parent)
    : QObject(parent), m_storage(storage), m_engine(engine), m_models(models) {
    connect(&models, &ModelInUse::entriesChanged, this, [this] {
        if (m_models.embeddingModel() != m_model) look();
    });
}

void PassageEmbedder::look() {
    m_mayBeMore = true;
    if (m_isUnderWay) return;
    m_model = m_models.embeddingModel();
    if (!m_model.isThere() || m_model.id == m_refused) return;
    m_isUnderWay = true;
    m_mayBeMore = false;
    const auto next = [model = m_model.id](history::HistoryReader& history) {
        return history::passagesWithoutVector(history, model, kBytesAtOnce);
    };
    m_storage.readBehindWrites(this, next, [this](const Result<std::vector<history::PassageText>>& found) {
        if (found && !found->empty()) return ask(*found);
        m_isUnderWay = false;
        if (m_mayBeMore) look();
    });
}

void PassageEmbedder::ask(const std::vector<history::PassageText>& passages) {
    std::vector<std::string> texts;
    for (const history::PassageText& each : passages) texts.push_back(each.text);
    m_engine.embed(m_model.path, std::move(texts), TextUse::Document, EngineClient::When::Idle,
                   whileAlive(this, [this, passages](const Result<TextRows>& rows) {
                       if (rows) return store(passages, *rows);
                       m_isUnderWay = false;
                       // A host that died, or whose other model changed, says nothing about this one.
                       const auto id = errorIdOf(rows.error());
                       if (id == ErrorId::HostDied || id == ErrorId::ModelFileChanged) return;
                       m_refused = m_model.id;
                       emit refused(rows.error());
                   }));
}

void PassageEmbedder::store(const std::vector<history::PassageText>& passages, const TextRows& rows) {
    std::vector<history::PassageVector> vectors;
    for (size_t i = 0; i < passages.size(); ++i) vectors.push_back({passages[i].passage, rows[i]});
    const auto work = [model = m_model.id, vectors = std::move(vectors)](history::History& history) {
        return history::setPassageVectors(history, model, vectors);
    };
    m_storage.run(this, work, [this](const Status& stored) {
        m_isUnderWay = false;
        // On a full disk the next one would fail as well.
        if (stored) look();
    });
}

}  // namespace ingle::desktop
