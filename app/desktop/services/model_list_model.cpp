#include "app/desktop/services/model_list_model.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/desktop/services/library_models.h"
#include "app/desktop/services/model_words.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
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

ModelListModel::ModelListModel(StorageThread& storage, EngineClient& engine, Settings& settings,
                               Notices& notices, std::string guide, QObject* parent)
    : QAbstractListModel(parent),
      m_storage(storage),
      m_engine(engine),
      m_settings(settings),
      m_notices(notices),
      m_guide(std::move(guide)) {
    connect(&engine, &EngineClient::loadProgress, this, [this](double fraction) {
        m_loadFraction = fraction;
        emit loadFractionChanged();
    });
    connect(&engine, &EngineClient::loaded, this, &ModelListModel::onLoaded);
    connect(&engine, &EngineClient::loadRefused, this, [this] { m_refused = true; });
    connect(&engine, &EngineClient::loadFailed, this, &ModelListModel::onLoadFailed);
    connect(&engine, &EngineClient::deviceChanged, this, &ModelListModel::onDeviceChanged);
    connect(&engine, &EngineClient::alsoLoadedChanged, this, [this](const QString& path) {
        m_alsoLoaded = path.toStdString();
        changed();
    });
    connect(&engine, &EngineClient::restarted, this, [this](Recovery recovery) {
        m_way.recovery =
            recovery == Recovery::SameWay
                ? tr("The engine stopped unexpectedly and was started again.")
                : tr("The engine stopped twice; it now runs on the processor with its plainest code.");
        emit wayChanged();
    });
}

void ModelListModel::start() {
    const auto work =
        [guide =
             m_guide](library::Library& library) -> Result<std::pair<std::vector<ModelEntry>, std::string>> {
        if (!guide.empty()) INGLE_TRY(library.keepGuide(guide));
        return std::pair{library.models(), library.notice()};
    };
    m_storage.run(this, work, [this](const auto& answer) {
        if (!answer) return m_notices.showError(Notices::Topic::Model, answer.error());
        setModels(answer->first, m_remote);
        if (!answer->second.empty()) m_notices.showBanner({Notices::Topic::Model, toQString(answer->second)});
        // A file that was named at the start takes the place of the model used last.
        if (inspecting()) {
            m_startWithLast = true;
        } else {
            useLast();
        }
    });
}

void ModelListModel::useLast() {
    const auto last = std::ranges::find(m_models, ModelPurpose::Chats, &ModelEntry::purpose);
    if (last == m_models.end()) return;
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

void ModelListModel::use(const QString& modelId) {
    const auto chosen = std::ranges::find(m_models, modelId.toStdString(), &ModelEntry::id);
    if (chosen != m_models.end() && chosen->purpose == ModelPurpose::Embeddings) {
        m_notices.showToast(tr("%1 finds passages in documents; it writes nothing, so it cannot chat.")
                                .arg(toQString(library::displayName(chosen->name))));
        return;
    }
    forgetInspection();
    m_startWithLast = false;
    m_notices.clearBanner(Notices::Topic::Model);
    loadById(modelId.toStdString());
}

void ModelListModel::applyChoices() {
    if (isRemote()) return;
    const auto context = history::profileFromJson(m_current.profile).contextTokens;
    if (m_state != Ready || (m_chosenDevice == m_settings.device() && m_chosenContext == context)) return;
    m_chosenDevice = m_settings.device();
    m_chosenContext = context;
    loadById(m_current.id);
}

void ModelListModel::loadById(const std::string& modelId) {
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

void ModelListModel::load(const ModelEntry& entry, FileState file) {
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

LoadOptions ModelListModel::loadOptions() const {
    LoadOptions options = m_settings.loadOptions();
    const auto context = history::profileFromJson(m_current.profile).contextTokens;
    if (context) options.contextTokens = *context;
    return options;
}

void ModelListModel::loadAgain(const LoadOptions& options) {
    emit loadStarting();
    loadCurrent(options);
}

void ModelListModel::loadCurrent(const LoadOptions& options) {
    m_way = {};
    emit wayChanged();
    m_refused = false;
    m_loadFraction = 0;
    emit loadFractionChanged();
    setState(Loading);
    m_chosenDevice = m_settings.device();
    m_chosenContext = history::profileFromJson(m_current.profile).contextTokens;
    LoadOptions all = options;
    const auto draft = std::ranges::find(m_models, m_settings.draftModel(), &ModelEntry::id);
    m_guesses = m_mayGuess && !isRemote() && draft != m_models.end() && draft->id != m_current.id;
    if (m_guesses) all.draft = draft->path;
    m_engine.load(toQString(m_current.path), all);
}

Guesses ModelListModel::guesses() const {
    const Guesses wanted = m_settings.guesses();
    return wanted == Guesses::Draft && !m_guesses ? Guesses::LookUp : wanted;
}

QVariantList ModelListModel::guessChoices() const {
    const auto choice = [](const QString& value, const QString& name) {
        return QVariantMap{{"value", value}, {"name", name}};
    };
    QVariantList choices{choice("off", tr("Never")), choice(kLookUp, tr("From the text itself"))};
    for (const ModelEntry& entry : m_models) {
        if (entry.id != library::kGuideId && entry.purpose == ModelPurpose::Chats &&
            !protocol::isRemote(entry.id))
            choices << choice(toQString(entry.id), toQString(library::displayName(entry.name)));
    }
    return choices;
}

void ModelListModel::lengthenContext(uint32_t tokens) {
    history::Profile profile = history::profileFromJson(m_current.profile);
    if (profile.contextTokens) {
        profile.contextTokens = tokens;
        setProfile(m_current.id, history::profileJson(profile));
    } else {
        m_settings.setProperty("contextTokens", tokens);
    }
    loadAgain(loadOptions());
}

void ModelListModel::setProfile(const std::string& id, const std::string& profile) {
    const auto formOf = [](const std::string& json) {
        return history::termsOf(history::profileFromJson(json)).promptForm;
    };
    const auto entry = std::ranges::find(m_models, id, &ModelEntry::id);
    std::string before = entry != m_models.end() ? std::exchange(entry->profile, profile) : std::string();
    if (id == m_current.id) before = std::exchange(m_current.profile, profile);
    if (formOf(before) != formOf(profile)) emit promptFormChanged(id);
    const auto work = [id, profile](library::Library& library) { return library.setProfile(id, profile); };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::Model, status.error());
        refresh();
    });
}

Error ModelListModel::noTokenizer(const std::string& path) {
    return withId<ErrorId::NoTokenizer>(
        Error{ErrorCode::Unsupported, fmt::format("{}: the file has no tokenizer", path)}, path);
}

void ModelListModel::onLoaded(const ModelInfo& info) {
    // The file may have changed since it was dropped, or come into the library another way.
    if (!hasTokenizer(info)) return onLoadFailed(noTokenizer(info.path));
    m_way = {.device = toQString(info.device),
             .deviceNote = toQString(info.deviceNote),
             .contextTokens = info.contextTokens,
             .trainedContext = info.trainedContext,
             .contextNote = toQString(info.contextNote),
             .chatTemplate = toQString(info.chatTemplate),
             .recovery = m_way.recovery};
    emit wayChanged();
    m_failure.reset();
    m_loadFraction = 1;
    m_looks.erase(m_current.id);
    setState(Ready);
    if (isRemote()) return;  // the library knows files
    const auto work = [entry = m_current,
                       speed = info.foretoldTokensPerSecond](library::Library& library) -> Status {
        INGLE_TRY(library.markFailure(entry.id, std::nullopt));
        // Not measured for these threads, or computed by a device: what was foretold earlier stays.
        if (speed > 0) INGLE_TRY(library.markSpeed(entry.id, speed));
        INGLE_TRY(library.relocate(entry.id, entry.path));  // remembers a changed file as it is now
        return library.markUsed(entry.id);
    };
    m_storage.run(this, work, [this](const Status&) { refresh(); });
}

void ModelListModel::onLoadFailed(const Error& error) {
    if (errorIdOf(error) == ErrorId::DraftUnfit && std::exchange(m_mayGuess, false)) {
        m_notices.showToast(errorSentence(error));
        return loadCurrent(loadOptions());
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

QString ModelListModel::fallback() const {
    QStringList sentences{m_way.recovery, m_way.deviceNote, m_way.contextNote};
    sentences.removeAll(QString());
    return sentences.join("  ·  ");
}

void ModelListModel::onDeviceChanged(const DeviceStatus& status) {
    m_way.device = toQString(status.device);
    m_way.deviceNote = toQString(status.note);
    emit wayChanged();
}

void ModelListModel::look() {
    lookBeyond();
    const auto work = [](library::Library& library) -> Result<std::vector<CheckedModel>> {
        INGLE_TRY(library.reload());
        std::vector<CheckedModel> all;
        for (const ModelEntry& entry : library.models()) all.push_back({entry, library::checkFile(entry)});
        return all;
    };
    m_storage.run(this, work, [this](const Result<std::vector<CheckedModel>>& all) {
        if (!all) return;
        for (const CheckedModel& each : *all) {
            const std::string id = each.entry.id;
            m_looks[id].file = each.file;
            changed(id);
            if (each.file == FileState::Missing || id == m_current.id || isInMemory(each.entry)) continue;
            m_engine.inspect(toQString(each.entry.path),
                             whileAlive(this, [this, id](const Result<ModelInfo>& info) {
                                 m_looks[id].memory = info ? info->memory : MemoryEstimate();
                                 changed(id);
                             }));
        }
    });
}

void ModelListModel::lookBeyond() {
    const auto onTold = [this](const Result<std::vector<Recognition>>& things) {
        auto remote = things ? remoteEntries(*things) : std::vector<ModelEntry>();
        const bool isThere = things || errorIdOf(things.error()) != ErrorId::BridgeMissing;
        const QString trouble = isThere && !things ? errorSentence(things.error()) : QString();
        const auto isIt = [](const ModelEntry& a, const ModelEntry& b) {
            return a.id == b.id && a.summary == b.summary;
        };
        const bool isSame = std::ranges::equal(remote, m_remote, isIt);
        if (isSame && trouble == m_remoteTrouble) return;
        m_remoteTrouble = trouble;
        setModels(ofTheLibrary(m_models), std::move(remote));
    };
    m_engine.recognise({toQString(std::string(protocol::kRemotePrefix))}, whileAlive(this, onTold));
}

void ModelListModel::measure(const std::string& path, const GenerateStats& stats) {
    if (path.empty() || protocol::isRemote(path) || stats.newTokens < kMeasuredTokens || stats.decodeMs <= 0)
        return;
    const auto work = [path, speed = stats.newTokens * 1000.0 / stats.decodeMs](library::Library& library) {
        return library.markMeasured(path, speed);
    };
    m_storage.run(this, work, [this](const Status& status) {
        if (status) refresh();
    });
}

void ModelListModel::changed() {
    if (m_models.empty()) return;
    emit dataChanged(index(0), index(rowCount() - 1), {CurrentRole, DetailsRole, SpokenRole});
}

void ModelListModel::changed(const std::string& modelId) {
    const auto found = std::ranges::find(m_models, modelId, &ModelEntry::id);
    if (found == m_models.end()) return;
    const QModelIndex row = index(static_cast<int>(found - m_models.begin()));
    emit dataChanged(row, row, {DetailsRole, TroubleRole});
}

void ModelListModel::forget(const QString& modelId) {
    if (protocol::isRemote(modelId.toStdString())) return;
    const auto work = [id = modelId.toStdString()](library::Library& library) -> Status {
        return library.remove(id);
    };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) m_notices.showError(Notices::Topic::Model, status.error());
        refresh();
    });
}

void ModelListModel::refresh() {
    const auto work = [](library::Library& library) -> Result<std::vector<ModelEntry>> {
        return library.models();
    };
    m_storage.run(this, work, [this](const Result<std::vector<ModelEntry>>& models) {
        if (models) setModels(*models, m_remote);
    });
}

void ModelListModel::setModels(std::vector<ModelEntry> library, std::vector<ModelEntry> remote) {
    beginResetModel();
    m_models = std::move(library);
    m_remote = std::move(remote);
    m_models.insert(m_models.end(), m_remote.begin(), m_remote.end());
    endResetModel();
    emit listChanged();
}

void ModelListModel::setInspection(std::optional<protocol::RequestId> inspection) {
    const bool wasInspecting = inspecting();
    m_inspection = inspection;
    if (inspecting() != wasInspecting) emit inspectingChanged();
}

void ModelListModel::setState(State state) {
    m_state = state;
    emit stateChanged();
    changed();
}

int ModelListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_models.size());
}

QVariant ModelListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ModelEntry& entry = m_models[static_cast<size_t>(index.row())];
    switch (role) {
        case ModelIdRole:
            return toQString(entry.id);
        case NameRole:
            return nameOf(entry);
        case PathRole:
            return toQString(entry.path);
        case CurrentRole:
            return entry.id == m_current.id;
        case DetailsRole:
            return details(entry);
        case TroubleRole:
            return trouble(entry);
        case SpokenRole: {
            const QString name = nameOf(entry);
            return entry.id == m_current.id ? tr("%1, in use").arg(name) : name;
        }
        case RemoteRole:
            return protocol::isRemote(entry.path);
        case PlaceRole:
            return protocol::isRemote(entry.path) ? tr("On other computers") : QString();
        default:
            return {};
    }
}

bool ModelListModel::isInMemory(const ModelEntry& entry) const {
    return entry.path == m_alsoLoaded && entry.id != m_current.id;
}

const ModelEntry* ModelListModel::usedBefore() const {
    // Those used last come first.
    const auto before = std::ranges::find_if(m_models, [this](const ModelEntry& entry) {
        return entry.id != m_current.id && !entry.lastUsedAt.empty() &&
               entry.purpose != ModelPurpose::Embeddings;
    });
    return before == m_models.end() ? nullptr : &*before;
}

void ModelListModel::useBefore() {
    if (const ModelEntry* before = usedBefore()) use(toQString(before->id));
}

QString ModelListModel::details(const ModelEntry& entry) const {
    if (protocol::isRemote(entry.path))
        return tr("%1 answers: what you ask leaves this computer").arg(toQString(entry.summary));
    const auto look = m_looks.find(entry.id);
    const bool isForPassages = entry.purpose == ModelPurpose::Embeddings;
    QStringList all{toQString(entry.summary), isForPassages ? tr("finds passages in documents") : QString(),
                    speedText(entry.tokensPerSecond), measuredText(entry.measuredPerSecond)};
    if (isInMemory(entry))
        all.prepend(tr("In memory: answers at once"));
    else if (look != m_looks.end())
        all.append(fitText(look->second.memory));
    all.removeAll(QString());
    return all.join(QStringLiteral(" · "));
}

QString ModelListModel::trouble(const ModelEntry& entry) const {
    const auto look = m_looks.find(entry.id);
    if (look != m_looks.end() && look->second.file != FileState::Same) return fileText(look->second.file);
    return entry.failure ? errorSentence(*entry.failure) : QString();
}

QHash<int, QByteArray> ModelListModel::roleNames() const {
    return {{ModelIdRole, "modelId"}, {NameRole, "name"},       {PathRole, "path"},
            {CurrentRole, "current"}, {DetailsRole, "details"}, {TroubleRole, "trouble"},
            {SpokenRole, "spoken"},   {RemoteRole, "remote"},   {PlaceRole, "place"}};
}

}  // namespace ingle::desktop
