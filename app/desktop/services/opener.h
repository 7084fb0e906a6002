/// The one door for files: whatever is dropped, pasted, chosen, named at the start or found in the downloads
/// is recognised by the engine, and goes to whoever takes it. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QUrl>

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "ingle/recognition.h"

namespace ingle::desktop {

class Opener : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// A file is being looked at.
    Q_PROPERTY(bool looking READ isLooking NOTIFY lookingChanged)
  public:
    using Things = std::vector<Recognition>;
    using Rest = std::function<void(const Things&)>;
    /// Takes what it can use of things with text, and hands the others on.
    using Taker = std::function<void(const Things&, const Rest&)>;
    /// What people want of a file that could be more than one thing, as a picture can.
    enum class Aim {
        Message,   ///< it belongs to a message, where it can
        Document,  ///< it is to be read
    };

    Opener(StorageThread& storage, EngineClient& engine, ModelInUse& models, Notices& notices,
           QObject* parent = nullptr);

    bool isLooking() const { return m_inspection.has_value(); }
    /// The first one is asked first; one for messages is not asked about what is to be a document.
    void addTaker(Taker taker, Aim aim = Aim::Document) { m_takers.push_back({std::move(taker), aim}); }

    /// Recognises local files and folders. Models are added to the library in place and the first is loaded;
    /// of one model that is worth making smaller choiceWanted() asks instead.
    Q_INVOKABLE void openUrls(const QList<QUrl>& urls) { openLocal(urls, Aim::Message); }
    /// The same, where whatever can be read becomes a document.
    Q_INVOKABLE void openDocuments(const QList<QUrl>& urls) { openLocal(urls, Aim::Document); }
    Q_INVOKABLE void openPath(const QString& path);
    /// Adds a model that was recognised, and loads it.
    void add(const ModelInfo& info);
    /// Adds a model and leaves the one in use.
    void keep(const ModelInfo& info);
    /// Says why that was not opened.
    void refuse(const Recognition& thing);
    /// The person wants nothing of what was recognised.
    void decline();
    /// Looks at a file that came by itself, and offers to open it when it is a whole model; arrivedWhole()
    /// follows in that case.
    void offer(const QString& path);
    /// The next file of that name that comes by itself is opened at once; empty: none is waited for.
    void setAwaited(const QString& fileName);
    const QString& awaited() const { return m_awaited; }

  signals:
    void awaitedChanged();
    void lookingChanged();
    void arrivedWhole(const QString& path);
    /// A model was recognised that can be used as it is, or made much smaller.
    void choiceWanted(const ingle::Recognition& model);
    /// Something was refused, and the person wants to get a model instead.
    void insteadWanted();

  private:
    void setInspection(std::optional<protocol::RequestId> inspection);
    void openLocal(const QList<QUrl>& urls, Aim aim);
    void openPaths(const QStringList& paths, Aim aim);
    void onRecognised(const Things& things, Aim aim);
    /// Returns whether there were any.
    bool handTexts(std::span<const ingle::Recognition> things, Aim aim);
    /// Asks the takers from that one on.
    void hand(const Things& things, Aim aim, size_t taker);
    void onArrived(const QString& path, const ModelInfo& info);
    /// One that compares texts was added.
    void welcome(const library::ModelEntry& entry);
    /// `failure`: why nothing comes of it; nothing: it is being loaded.
    void inspectionEnded(const std::optional<Error>& failure);
    /// Whatever comes of it, it is not opened any more.
    void forgetInspection();

    StorageThread& m_storage;
    EngineClient& m_engine;
    ModelInUse& m_models;
    Notices& m_notices;
    std::vector<std::pair<Taker, Aim>> m_takers;
    /// Of what is being looked at, until it is loaded or refused; nothing: nobody waits for one.
    std::optional<protocol::RequestId> m_inspection;
    quint64 m_newestModel = 0;     ///< of those, the last that brought a model
    quint64 m_numInspections = 0;  ///< how often another file, or a model, was chosen
    QString m_awaited;
    bool m_startWithLast = false;  ///< when nothing comes of the file that was named at the start
};

}  // namespace ingle::desktop
