/// The models of the library, and the one in use: from a dropped file to a loaded model.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QUrl>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/library_models.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/storage_thread.h"
#include "app/library/display_name.h"
#include "app/library/library.h"
#include "app/protocol/remote.h"

namespace ingle::desktop {

class ModelListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    Q_PROPERTY(State state READ state NOTIFY stateChanged)
    /// A dropped file is being looked at.
    Q_PROPERTY(bool inspecting READ inspecting NOTIFY inspectingChanged)
    Q_PROPERTY(QString currentName READ currentName NOTIFY stateChanged)
    /// The model in use is the one that ships with Inglenook.
    Q_PROPERTY(bool guiding READ guiding NOTIFY stateChanged)
    /// Why the current model could not be loaded; else empty.
    Q_PROPERTY(QString failure READ failure NOTIFY stateChanged)
    Q_PROPERTY(QString device READ device NOTIFY wayChanged)
    /// One sentence when the engine does not run as it was asked to; else empty.
    Q_PROPERTY(QString fallback READ fallback NOTIFY wayChanged)
    Q_PROPERTY(double loadFraction READ loadFraction NOTIFY loadFractionChanged)
    /// What Settings::guesses may be, of each "value" and "name": models that could guess are among them.
    Q_PROPERTY(QVariantList guessChoices READ guessChoices NOTIFY listChanged)
    /// Why the bridge, which runs, offers no models of other computers; else empty.
    Q_PROPERTY(QString remoteTrouble READ remoteTrouble NOTIFY listChanged)
  public:
    enum State {
        NoModel,
        Loading,
        Ready,
        Failed,   ///< the engine refused it
        Missing,  ///< the file is not where it was
    };
    Q_ENUM(State)

    enum Role {
        ModelIdRole = Qt::UserRole,
        NameRole,
        PathRole,
        CurrentRole,
        DetailsRole,  ///< that it is in memory, what it is, how fast it is said to be and was, and that it
                      ///< does not fit, if it does not
        TroubleRole,  ///< that its file is missing or another one, or why it could not be loaded
        SpokenRole,   ///< the name and whether it is in use, for screen readers
        RemoteRole,   ///< it is on another computer
        PlaceRole,    ///< heading of those; of others empty
    };

    /// `guide`: file of the model that ships with Inglenook; empty: none.
    ModelListModel(StorageThread& storage, EngineClient& engine, Settings& settings, Notices& notices,
                   std::string guide, QObject* parent = nullptr);

    State state() const { return m_state; }
    bool inspecting() const { return m_inspection.has_value(); }
    /// A model was chosen, and nobody knows yet what becomes of it.
    bool choosing() const { return m_numChosen > 0 || m_state == Loading; }
    QString currentName() const { return nameOf(m_current); }
    /// The model in use is on another computer, to which the bridge leads.
    bool isRemote() const { return protocol::isRemote(m_current.path); }
    QString remoteTrouble() const { return m_remoteTrouble; }
    bool guiding() const { return m_current.id == library::kGuideId; }
    QString failure() const { return m_failure ? errorSentence(*m_failure) : QString(); }
    QString device() const { return m_way.device; }
    QString fallback() const;
    QVariantList guessChoices() const;
    /// What answers may use now: the model that is to guess may not be loaded.
    Guesses guesses() const;
    double loadFraction() const { return m_loadFraction; }
    /// It rested, or its host died, and something uses it now.
    bool loadsAgain() const { return m_state == Ready && m_loadFraction < 1; }
    /// Of the model in use; 0: no limit, or none is loaded.
    uint32_t contextTokens() const { return m_way.contextTokens; }
    /// The longest it was trained for; 0: not known, or without a limit.
    uint32_t trainedContext() const { return m_way.trainedContext; }
    /// Its own, as its file has it; empty: it has none, or is not loaded.
    const QString& chatTemplate() const { return m_way.chatTemplate; }
    const library::ModelEntry& current() const { return m_current; }
    /// What finds passages by what they mean; it is beside the model in use.
    EmbeddingModel embeddingModel() const { return embeddingModelOf(m_models); }
    /// What is set for answers of a model (see history::profileJson()); empty: nothing.
    void setProfile(const std::string& id, const std::string& profile);

    /// Reads the library and loads the model used last (at first the guide), unless it failed then.
    void start();

    /// Loads the current model again, in another way than the settings say.
    void loadAgain(const LoadOptions& options);

    /// Loads it again with so long a context, which later models get as well if they can and nothing else is
    /// set for them.
    void lengthenContext(uint32_t tokens);

    /// Loads the current model again when another device, or for it another context, has been chosen since.
    void applyChoices();

    /// Recognises local files and folders, adds the models to the library in place and loads the first; of
    /// one model that is worth making smaller choiceWanted() asks instead.
    Q_INVOKABLE void openUrls(const QList<QUrl>& urls);
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
    Q_INVOKABLE void use(const QString& modelId);
    /// Uses the model that was in use before this one.
    void useBefore();
    bool canUseBefore() const { return usedBefore() != nullptr; }
    /// Looks at the files of all of them: whether they are there, and fit the memory that is free now; and at
    /// what other computers offer.
    Q_INVOKABLE void look();
    /// An answer of the model in that file has ended.
    void measure(const std::string& path, const GenerateStats& stats);
    /// Removes it from the library; the file stays.
    Q_INVOKABLE void forget(const QString& modelId);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    /// Another model is in use, or it stands otherwise.
    void stateChanged();
    void inspectingChanged();
    /// How the engine runs the model in use is something else.
    void wayChanged();
    /// What use() was asked for is not in the library any more.
    void chosenInVain();
    void loadFractionChanged();
    /// What is set for a model is as the person wants it: applyChoices() may act on it.
    void choicesSettled();
    /// What that model is given has another form from now on: what it has read begins otherwise.
    void promptFormChanged(const std::string& modelId);
    /// Whatever the engine is doing should stop: another model comes.
    void loadStarting();
    void arrivedWhole(const QString& path);
    /// A model was recognised that can be used as it is, or made much smaller.
    void choiceWanted(const ingle::Recognition& model);
    /// What was opened is no model; some or all of it may be documents.
    void noModelsGiven(const std::vector<ingle::Recognition>& things);
    /// Something was refused, and the person wants to get a model instead.
    void insteadWanted();

  private:
    /// What the rows say.
    void changed();
    void changed(const std::string& modelId);
    /// It has its memory already, beside the model in use.
    bool isInMemory(const library::ModelEntry& entry) const;
    /// Null: no other was ever used.
    const library::ModelEntry* usedBefore() const;
    QString details(const library::ModelEntry& entry) const;
    QString trouble(const library::ModelEntry& entry) const;
    void setModels(std::vector<library::ModelEntry> library, std::vector<library::ModelEntry> remote);
    void lookBeyond();
    void setState(State state);
    void setInspection(std::optional<protocol::RequestId> inspection);
    void refresh();
    void onArrived(const QString& path, const ModelInfo& info);
    void openPaths(const QStringList& paths);
    void onRecognised(const std::vector<Recognition>& things);
    /// One that compares texts was added.
    void welcome(const library::ModelEntry& entry);
    /// `failure`: why nothing comes of it; nothing: it is being loaded.
    void inspectionEnded(const std::optional<Error>& failure);
    /// Whatever comes of it, it is not opened any more.
    void forgetInspection();
    /// Loads the model used last, or the guide.
    void useLast();
    void loadById(const std::string& modelId);
    void load(const library::ModelEntry& entry, library::FileState file);
    /// The settings, and over them what is set for the current model.
    LoadOptions loadOptions() const;
    void loadCurrent(const LoadOptions& options);
    static Error noTokenizer(const std::string& path);
    void onLoaded(const ModelInfo& info);
    void onLoadFailed(const Error& error);
    void onDeviceChanged(const DeviceStatus& status);

    StorageThread& m_storage;
    EngineClient& m_engine;
    Settings& m_settings;
    Notices& m_notices;
    std::string m_guide;
    std::vector<library::ModelEntry> m_models;  ///< those of the library, then m_remote
    std::vector<library::ModelEntry> m_remote;
    QString m_remoteTrouble;
    /// What look() found, by ModelEntry::id.
    struct Look {
        library::FileState file = library::FileState::Same;
        MemoryEstimate memory;
    };
    std::map<std::string, Look> m_looks;
    library::ModelEntry m_current;
    std::string m_alsoLoaded;        ///< path of what is in memory beside it
    std::optional<Error> m_failure;  ///< of the current one, the last time it was loaded
    State m_state = NoModel;
    /// Of what is being looked at, until it is loaded or refused; nothing: nobody waits for one.
    std::optional<protocol::RequestId> m_inspection;
    quint64 m_numInspections = 0;  ///< how often another file, or a model, was chosen
    quint64 m_numChoices = 0;      ///< how often a model was chosen
    int m_numChosen = 0;           ///< models that are looked up, to be loaded then
    bool m_startWithLast = false;  ///< when nothing comes of the file that was named at the start
    bool m_mayGuess = true;        ///< false: the model that is to guess does not suit the current one
    bool m_guesses = false;        ///< it was loaded beside that
    QString m_chosenDevice;        ///< Settings::device when the current model was loaded
    std::optional<uint32_t> m_chosenContext;  ///< what its profile said of the context then
    /// How the engine runs the current model.
    struct Way {
        QString device;
        QString deviceNote;  ///< why this device computes
        uint32_t contextTokens = 0;
        uint32_t trainedContext = 0;
        QString contextNote;  ///< why the context is a short one
        QString chatTemplate;
        QString recovery;  ///< what was done after the host died
    };
    Way m_way;
    bool m_refused = false;  ///< the model does not fit the memory that is free
    double m_loadFraction = 0;
};

}  // namespace ingle::desktop
