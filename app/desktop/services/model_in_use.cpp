#include "app/desktop/services/model_in_use.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/desktop/services/library_models.h"
#include "app/desktop/services/text.h"
#include "app/history/chats/profile.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using library::FileState;
using library::ModelEntry;
using library::ModelPurpose;

/// Shorter answers say little about it.
constexpr uint32_t kMeasuredTokens = 16;

std::vector<ModelEntry> ofTheLibrary(std::vector<ModelEntry> models) {
    std::erase_if(models, [](const ModelEntry& each) { return protocol::isRemote(each.path); });
    return models;
}

}  // namespace

ModelInUse::ModelInUse(StorageThread& storage, EngineClient& engine, Settings& settings, Notices& notices,
                       std::string guide, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_engine(engine),
      m_settings(settings),
      m_notices(notices),
      m_guide(std::move(guide)) {
    connect(&engine, &EngineClient::loadProgress, this, [this](double fraction) {
        m_loadFraction = fraction;
        emit loadFractionChanged();
    });
    connect(&engine, &EngineClient::loaded, this, &ModelInUse::onLoaded);
    connect(&engine, &EngineClient::loadRefused, this, [this] { m_refused = true; });
    connect(&engine, &EngineClient::loadFailed, this, &ModelInUse::onLoadFailed);
    connect(&engine, &EngineClient::deviceChanged, this, &ModelInUse::onDeviceChanged);
    connect(&engine, &EngineClient::restarted, this, [this](Recovery recovery) {
        m_way.recovery =
            recovery == Recovery::SameWay
                ? tr("The engine stopped unexpectedly and was started again.")
                : tr("The engine stopped twice; it now runs on the processor with its plainest code.");
        emit wayChanged();
    });
}

void ModelInUse::start() {
    const auto work =
        [guide =
             m_guide](library::Library& library) -> Result<std::pair<std::vector<ModelEntry>, std::string>> {
        if (!guide.empty()) INGLE_TRY(library.keepGuide(guide));
        return std::pair{library.models(), library.notice()};
    };
    m_storage.run(this, work, [this](const auto& answer) {
        if (!answer) return m_notices.showError(Notices::Topic::Model, answer.error());
        setEntries(answer->first);
        if (!answer->second.empty()) m_notices.showBanner({Notices::Topic::Model, toQString(answer->second)});
        emit started();
    });
}

void ModelInUse::useLast() {
    const auto last = std::ranges::find(m_entries, ModelPurpose::Chats, &ModelEntry::purpose);
    if (last == m_entries.end()) return;
    // The guide comes first only while there is nothing else.
    if (last->lastUsedAt.empty() && last->id != library::kGuideId) return;
    if (!last->failure) {
        loadById(last->id);
    } else {
        m_current = *last;
        m_failure = m_current.failure;
        setState(Failed);
    }
}

void ModelInUse::use(const QString& modelId) {
    const ModelEntry* wanted = find(modelId.toStdString());
    if (wanted != nullptr && wanted->purpose == ModelPurpose::Embeddings) {
        m_notices.showToast(tr("%1 finds passages in documents; it writes nothing, so it cannot chat.")
                                .arg(toQString(library::displayName(wanted->name))));
        return;
    }
    emit chosen();
    m_notices.clearBanner(Notices::Topic::Model);
    loadById(modelId.toStdString());
}

void ModelInUse::applyChoices() {
    if (isRemote()) return;
    const auto context = history::profileFromJson(m_current.profile).contextTokens;
    if (m_state != Ready || (m_chosenDevice == m_settings.device() && m_chosenContext == context)) return;
    m_chosenDevice = m_settings.device();
    m_chosenContext = context;
    loadById(m_current.id);
}

void ModelInUse::loadById(const std::string& modelId) {
    const quint64 number = ++m_numChoices;
    if (protocol::isRemote(modelId)) return load(remoteEntry(modelId, ""), FileState::Same);
    const auto work = [id = modelId](library::Library& library) -> Result<CheckedModel> {
        INGLE_TRY(library.reload());
        return checkModel(library, id);
    };
    ++m_numChosen;
    m_storage.run(this, work, [this, number](const Result<CheckedModel>& checked) {
        --m_numChosen;
        if (number != m_numChoices) return;  // another was chosen since
        if (checked) return load(checked->entry, checked->file);
        m_notices.showError(Notices::Topic::Model, checked.error());
        emit chosenInVain();
    });
}

void ModelInUse::load(const ModelEntry& entry, FileState file) {
    // Answers of the model in use end here, and not for a file that is no model, or not there.
    if (file != FileState::Missing) emit loadStarting();
    m_current = entry;
    m_failure = entry.failure;
    if (file == FileState::Missing) {
        m_engine.forgetLoad();
        setState(Missing);
        m_notices.showBanner(
            {Notices::Topic::Model,
             tr("The file %1 is gone. Drop it again from where it is now.").arg(toQString(entry.path))});
        refresh();
        return;
    }
    if (file == FileState::Changed) {
        m_notices.showToast(tr("The file of %1 has changed since it was last used.").arg(currentName()));
    }
    m_mayGuess = true;
    loadCurrent(loadOptions());
}

LoadOptions ModelInUse::loadOptions() const {
    LoadOptions options = m_settings.loadOptions();
    const auto context = history::profileFromJson(m_current.profile).contextTokens;
    if (context) options.contextTokens = *context;
    options.visionFile = m_current.visionFile;
    return options;
}

void ModelInUse::seeBy(const QString& visionFile) {
    m_current.visionFile = visionFile.toStdString();
    const auto work = [id = m_current.id, path = m_current.visionFile](library::Library& library) {
        return library.setVisionFile(id, path);
    };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) m_notices.showError(Notices::Topic::Model, status.error());
    });
    loadAgain(loadOptions());
}

void ModelInUse::loadAgain(const LoadOptions& options) {
    emit loadStarting();
    loadCurrent(options);
}

void ModelInUse::loadCurrent(const LoadOptions& options) {
    m_way = {};
    emit wayChanged();
    m_refused = false;
    m_loadFraction = 0;
    emit loadFractionChanged();
    setState(Loading);
    m_chosenDevice = m_settings.device();
    m_chosenContext = history::profileFromJson(m_current.profile).contextTokens;
    LoadOptions all = options;
    const auto draft = std::ranges::find(m_entries, m_settings.draftModel(), &ModelEntry::id);
    m_guesses = m_mayGuess && !isRemote() && draft != m_entries.end() && draft->id != m_current.id;
    if (m_guesses) all.draft = draft->path;
    m_engine.load(toQString(m_current.path), all);
}

Guesses ModelInUse::guesses() const {
    const Guesses wanted = m_settings.guesses();
    return wanted == Guesses::Draft && !m_guesses ? Guesses::LookUp : wanted;
}

QVariantList ModelInUse::guessChoices() const {
    const auto choice = [](const QString& value, const QString& name) {
        return QVariantMap{{"value", value}, {"name", name}};
    };
    QVariantList choices{choice("off", tr("Never")), choice(kLookUp, tr("From the text itself"))};
    for (const ModelEntry& entry : m_entries) {
        if (entry.id != library::kGuideId && entry.purpose == ModelPurpose::Chats &&
            !protocol::isRemote(entry.id))
            choices << choice(toQString(entry.id), toQString(library::displayName(entry.name)));
    }
    return choices;
}

void ModelInUse::lengthenContext(uint32_t tokens) {
    history::Profile profile = history::profileFromJson(m_current.profile);
    if (profile.contextTokens) {
        profile.contextTokens = tokens;
        setProfile(m_current.id, history::profileJson(profile));
    } else {
        m_settings.setProperty("contextTokens", tokens);
    }
    loadAgain(loadOptions());
}

void ModelInUse::setProfile(const std::string& id, const std::string& profile) {
    const auto formOf = [](const std::string& json) {
        return history::termsOf(history::profileFromJson(json)).promptForm;
    };
    const auto entry = std::ranges::find(m_entries, id, &ModelEntry::id);
    std::string before = entry != m_entries.end() ? std::exchange(entry->profile, profile) : std::string();
    if (id == m_current.id) before = std::exchange(m_current.profile, profile);
    if (formOf(before) != formOf(profile)) emit promptFormChanged(id);
    const auto work = [id, profile](library::Library& library) { return library.setProfile(id, profile); };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::Model, status.error());
        refresh();
    });
}

Error ModelInUse::noTokenizer(const std::string& path) {
    return withId<ErrorId::NoTokenizer>(
        Error{ErrorCode::Unsupported, fmt::format("{}: the file has no tokenizer", path)}, path);
}

void ModelInUse::onLoaded(const ModelInfo& info) {
    // The file may have changed since it was dropped, or come into the library another way.
    if (!hasTokenizer(info)) return onLoadFailed(noTokenizer(info.path));
    m_way = {.device = toQString(info.device),
             .deviceNote = toQString(info.deviceNote),
             .contextTokens = info.contextTokens,
             .trainedContext = info.trainedContext,
             .contextNote = toQString(info.contextNote),
             .chatTemplate = toQString(info.chatTemplate),
             .promptNote = toQString(info.promptNote),
             .seesPictures = info.seesPictures,
             .visionFile = toQString(info.visionFile),
             .visionFiles = {},
             .visionTrouble = toQString(info.visionTrouble),
             .recovery = m_way.recovery};
    for (const std::string& path : info.visionFiles) m_way.visionFiles << toQString(path);
    emit wayChanged();
    m_failure.reset();
    m_loadFraction = 1;
    setState(Ready);
    if (isRemote()) return;  // the library knows files
    const auto work = [entry = m_current, speed = info.foretoldTokensPerSecond,
                       sees = info.seesPictures](library::Library& library) -> Status {
        INGLE_TRY(library.markFailure(entry.id, std::nullopt));
        INGLE_TRY(library.markSight(entry.id, sees));
        // Not measured for these threads, or computed by a device: what was foretold earlier stays.
        if (speed > 0) INGLE_TRY(library.markSpeed(entry.id, speed));
        INGLE_TRY(library.relocate(entry.id, entry.path));  // remembers a changed file as it is now
        return library.markUsed(entry.id);
    };
    m_storage.run(this, work, [this](const Status&) { refresh(); });
}

const ModelEntry* ModelInUse::seeing() const {
    const auto found = std::ranges::find_if(
        m_entries, [](const ModelEntry& entry) { return entry.seesPictures && !entry.failure; });
    return found == m_entries.end() ? nullptr : &*found;
}

void ModelInUse::onLoadFailed(const Error& error) {
    if (errorIdOf(error) == ErrorId::DraftUnfit && std::exchange(m_mayGuess, false)) {
        m_notices.showToast(errorSentence(error));
        return loadCurrent(loadOptions());
    }
    if (!m_refused && !m_current.visionFile.empty()) {
        // It may be the vision file that is gone, or damaged: without it the model writes all the same.
        m_notices.showToast(errorSentence(error));
        return seeBy({});
    }
    m_failure = error;
    setState(Failed);
    // There may be room at the next start; now a card says what can be done.
    if (m_refused) return;
    m_notices.showError(Notices::Topic::Model, error);
    if (isRemote()) return;
    const auto work = [id = m_current.id, error](library::Library& library) -> Status {
        INGLE_TRY(library.markUsed(id));
        return library.markFailure(id, error);
    };
    m_storage.run(this, work, [this](const Status&) { refresh(); });
}

QString ModelInUse::fallback() const {
    QStringList sentences{m_way.recovery, m_way.deviceNote, m_way.contextNote};
    sentences.removeAll(QString());
    return sentences.join("  ·  ");
}

void ModelInUse::onDeviceChanged(const DeviceStatus& status) {
    m_way.device = toQString(status.device);
    m_way.deviceNote = toQString(status.note);
    emit wayChanged();
}

void ModelInUse::measure(const std::string& path, const GenerateStats& stats) {
    if (path.empty() || protocol::isRemote(path) || stats.newTokens < kMeasuredTokens || stats.decodeMs <= 0)
        return;
    const auto work = [path, speed = stats.newTokens * 1000.0 / stats.decodeMs](library::Library& library) {
        return library.markMeasured(path, speed);
    };
    m_storage.run(this, work, [this](const Status& status) {
        if (status) refresh();
    });
}

void ModelInUse::refresh() {
    const auto work = [](library::Library& library) -> Result<std::vector<ModelEntry>> {
        return library.models();
    };
    m_storage.run(this, work, [this](const Result<std::vector<ModelEntry>>& models) {
        if (models) setEntries(*models);
    });
}

void ModelInUse::setEntries(std::vector<ModelEntry> library) {
    m_entries = std::move(library);
    m_entries.insert(m_entries.end(), m_remote.begin(), m_remote.end());
    emit entriesChanged();
}

void ModelInUse::setRemote(std::vector<ModelEntry> remote) {
    m_remote = std::move(remote);
    setEntries(ofTheLibrary(m_entries));
}

const ModelEntry* ModelInUse::find(const std::string& id) const {
    const auto found = std::ranges::find(m_entries, id, &ModelEntry::id);
    return found == m_entries.end() ? nullptr : &*found;
}

void ModelInUse::setState(State state) {
    m_state = state;
    emit stateChanged();
}

const ModelEntry* ModelInUse::usedBefore() const {
    // Those used last come first.
    const auto before = std::ranges::find_if(m_entries, [this](const ModelEntry& entry) {
        return entry.id != m_current.id && !entry.lastUsedAt.empty() &&
               entry.purpose != ModelPurpose::Embeddings;
    });
    return before == m_entries.end() ? nullptr : &*before;
}

void ModelInUse::useBefore() {
    if (const ModelEntry* before = usedBefore()) use(toQString(before->id));
}

}  // namespace ingle::desktop
