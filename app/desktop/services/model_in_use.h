/// The models there are and the one in use: which is loaded, how, and what becomes of it. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <optional>
#include <string>
#include <vector>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/library_models.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/storage_thread.h"
#include "app/library/library.h"
#include "app/protocol/remote.h"

namespace ingle::desktop {

class ModelInUse : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(State state READ state NOTIFY stateChanged)
    Q_PROPERTY(QString name READ currentName NOTIFY stateChanged)
    /// It is the one that ships with Inglenook.
    Q_PROPERTY(bool guiding READ guiding NOTIFY stateChanged)
    Q_PROPERTY(double loadFraction READ loadFraction NOTIFY loadFractionChanged)
    /// What Settings::guesses may be, of each "value" and "name": models that could guess are among them.
    Q_PROPERTY(QVariantList guessChoices READ guessChoices NOTIFY entriesChanged)
  public:
    enum State {
        NoModel,
        Loading,
        Ready,
        Failed,   ///< the engine refused it
        Missing,  ///< the file is not where it was
    };
    Q_ENUM(State)

    /// `guide`: file of the model that ships with Inglenook; empty: none.
    ModelInUse(StorageThread& storage, EngineClient& engine, Settings& settings, Notices& notices,
               std::string guide, QObject* parent = nullptr);

    State state() const { return m_state; }
    /// A model was chosen, and nobody knows yet what becomes of it.
    bool choosing() const { return m_numChosen > 0 || m_state == Loading; }
    QString currentName() const { return nameOf(m_current); }
    /// It is on another computer, to which the bridge leads.
    bool isRemote() const { return protocol::isRemote(m_current.path); }
    bool guiding() const { return m_current.id == library::kGuideId; }
    /// Why it could not be loaded; else empty.
    QString failure() const { return m_failure ? errorSentence(*m_failure) : QString(); }
    QString device() const { return m_way.device; }
    /// One sentence when the engine does not run as it was asked to; else empty.
    QString fallback() const;
    QVariantList guessChoices() const;
    /// What answers may use now: the model that is to guess may not be loaded.
    Guesses guesses() const;
    double loadFraction() const { return m_loadFraction; }
    /// It rested, or its host died, and something uses it now.
    bool loadsAgain() const { return m_state == Ready && m_loadFraction < 1; }
    /// 0: no limit, or none is loaded.
    uint32_t contextTokens() const { return m_way.contextTokens; }
    /// The longest it was trained for; 0: not known, or without a limit.
    uint32_t trainedContext() const { return m_way.trainedContext; }
    /// Messages for it may have pictures.
    bool seesPictures() const { return m_way.seesPictures; }
    /// By which it sees; empty: it does not.
    const QString& visionFile() const { return m_way.visionFile; }
    /// Paths of files by which it could see, where there are several or nobody knows whether one is its own:
    /// the likeliest first.
    const QStringList& visionFiles() const { return m_way.visionFiles; }
    /// Why a file that is there for that cannot be used, in the engine's words; empty: none is.
    const QString& visionTrouble() const { return m_way.visionTrouble; }
    /// Loads the model in use again, so that it sees by that file, now and later.
    Q_INVOKABLE void seeBy(const QString& visionFile);
    /// Of those of the library that see pictures the one used last; null: none is known.
    const library::ModelEntry* seeing() const;
    /// Its own, as its file has it; empty: it has none, or is not loaded.
    const QString& chatTemplate() const { return m_way.chatTemplate; }
    /// As ModelInfo has it.
    const QString& promptNote() const { return m_way.promptNote; }
    const library::ModelEntry& current() const { return m_current; }

    /// The library, the last used first, then what other computers offer.
    const std::vector<library::ModelEntry>& entries() const { return m_entries; }
    /// Null: there is none.
    const library::ModelEntry* find(const std::string& id) const;
    /// What finds passages by what they mean; it is beside the model in use.
    EmbeddingModel embeddingModel() const { return embeddingModelOf(m_entries); }
    /// What is set for answers of a model (see history::profileJson()); empty: nothing.
    void setProfile(const std::string& id, const std::string& profile);
    /// Reads the library again.
    void refresh();
    void setRemote(std::vector<library::ModelEntry> remote);
    /// An answer of the model in that file has ended.
    void measure(const std::string& path, const GenerateStats& stats);

    /// Reads the library; started() follows.
    void start();
    /// Loads the model used last (at first the guide), unless it failed then.
    void useLast();
    Q_INVOKABLE void use(const QString& modelId);
    /// Uses the model that was in use before this one.
    void useBefore();
    bool canUseBefore() const { return usedBefore() != nullptr; }
    void load(const library::ModelEntry& entry, library::FileState file);
    /// Loads the current model again, in another way than the settings say.
    void loadAgain(const LoadOptions& options);
    /// Loads it again with so long a context, which later models get as well if they can and nothing else is
    /// set for them.
    void lengthenContext(uint32_t tokens);
    /// Loads the current model again when another device, or for it another context, has been chosen since.
    void applyChoices();
    /// It turns text into no tokens.
    static Error noTokenizer(const std::string& path);

  signals:
    /// Another model is in use, or it stands otherwise.
    void stateChanged();
    /// How the engine runs the model in use is something else.
    void wayChanged();
    void loadFractionChanged();
    void entriesChanged();
    /// The library has been read for the first time.
    void started();
    /// A person, or an answer that goes on, chose a model.
    void chosen();
    /// What use() was asked for is not in the library any more.
    void chosenInVain();
    /// What is set for a model is as the person wants it: applyChoices() may act on it.
    void choicesSettled();
    /// What that model is given has another form from now on: what it has read begins otherwise.
    void promptFormChanged(const std::string& modelId);
    /// Whatever the engine is doing should stop: another model comes.
    void loadStarting();

  private:
    /// Null: no other was ever used.
    const library::ModelEntry* usedBefore() const;
    void setEntries(std::vector<library::ModelEntry> library);
    void setState(State state);
    void loadById(const std::string& modelId);
    /// The settings, and over them what is set for the current model.
    LoadOptions loadOptions() const;
    void loadCurrent(const LoadOptions& options);
    void onLoaded(const ModelInfo& info);
    void onLoadFailed(const Error& error);
    void onDeviceChanged(const DeviceStatus& status);

    StorageThread& m_storage;
    EngineClient& m_engine;
    Settings& m_settings;
    Notices& m_notices;
    std::string m_guide;
    std::vector<library::ModelEntry> m_entries;  ///< those of the library, then m_remote
    std::vector<library::ModelEntry> m_remote;
    library::ModelEntry m_current;
    std::optional<Error> m_failure;  ///< of the current one, the last time it was loaded
    State m_state = NoModel;
    quint64 m_numChoices = 0;  ///< how often a model was chosen
    int m_numChosen = 0;       ///< models that are looked up, to be loaded then
    bool m_mayGuess = true;    ///< false: the model that is to guess does not suit the current one
    bool m_guesses = false;    ///< it was loaded beside that
    QString m_chosenDevice;    ///< Settings::device when the current model was loaded
    std::optional<uint32_t> m_chosenContext;  ///< what its profile said of the context then
    /// How the engine runs the current model.
    struct Way {
        QString device;
        QString deviceNote;  ///< why this device computes
        uint32_t contextTokens = 0;
        uint32_t trainedContext = 0;
        QString contextNote;  ///< why the context is a short one
        QString chatTemplate;
        QString promptNote;
        bool seesPictures = false;
        QString visionFile;
        QStringList visionFiles;
        QString visionTrouble;
        QString recovery;  ///< what was done after the host died
    };
    Way m_way;
    bool m_refused = false;  ///< the model does not fit the memory that is free
    double m_loadFraction = 0;
};

}  // namespace ingle::desktop
