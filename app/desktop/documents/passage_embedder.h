/// Has the embedding model of the library say what passages mean, of documents that a model has no room for:
/// a few at a time, while nothing else is asked. What is stored is not asked for again, so nothing here has
/// to be finished. GUI thread.
#pragma once

#include <QObject>

#include <string>
#include <vector>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/library_models.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/documents/passage_vectors.h"

namespace ingle::desktop {

class PassageEmbedder : public QObject {
    Q_OBJECT
  public:
    PassageEmbedder(StorageThread& storage, EngineClient& engine, ModelInUse& models,
                    QObject* parent = nullptr);

    /// There may be passages that nobody has looked at.
    void look();

  signals:
    /// The model cannot; it is not asked again by itself.
    void refused(const ingle::Error& error);

  private:
    void ask(const std::vector<history::PassageText>& passages);
    void store(const std::vector<history::PassageText>& passages, const TextRows& rows);

    StorageThread& m_storage;
    EngineClient& m_engine;
    ModelInUse& m_models;

    EmbeddingModel m_model;  ///< of what is under way, or was last
    bool m_isUnderWay = false;
    bool m_mayBeMore = false;  ///< look() was called meanwhile
    std::string m_refused;     ///< EmbeddingModel::id
};

}  // namespace ingle::desktop
