#include "app/desktop/viewmodels/model_list_model.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/desktop/library_models.h"
#include "app/desktop/text.h"
#include "app/desktop/viewmodels/model_words.h"
#include "app/desktop/while_alive.h"
#include "app/history/profile.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using library::FileState;
using library::ModelEntry;
using library::ModelPurpose;

/// Of a model that is read for each token: at 10 GB/s, which every computer's memory has, this is 40 tokens a
/// second, and nobody reads faster. A smaller one would be worse and seem no quicker, so nobody is asked.
constexpr uint64_t kSmallEnoughBytes = 256'000'000;

bool canChat(const Recognition& model) {
    return hasTokenizer(model.info) && purposeOf(model.info) == ModelPurpose::Chats;
}

bool isWorthMakingSmaller(const Recognition& model) {
    return model.can(ModelAction::MakeSmaller) && model.info.fileBytes >= kSmallEnoughBytes;
}

/// Shorter answers say little about it.
constexpr uint32_t kMeasuredTokens = 16;

/// Why it could not be used last.
std::optional<Error> failureOf(const ModelEntry& entry) {
    if (entry.failure.empty()) return std::nullopt;
    return storedError(entry.failure, entry.failureId, entry.failureArguments);
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
        setModels(answer->first);
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
    if (last->failure.empty()) {
        loadById(last->id);
    } else {
        m_current = *last;
        m_failure = failureOf(m_current);
        setState(Failed);
    }
}

void ModelListModel::inspectionEnded(const std::optional<Error>& failure) {
    setInspection(std::nullopt);
    if (failure) m_notices.showError(Notices::Topic::Model, *failure);
    const bool startWithLast = std::exchange(m_startWithLast, false);
    if (startWithLast && failure) useLast();
}

void ModelListModel::openUrls(const QList<QUrl>& urls) {
    QStringList paths;
    for (const QUrl& url : urls)
        if (url.isLocalFile()) paths.append(url.toLocalFile());
    if (paths.isEmpty()) {
        m_notices.showBanner({Notices::Topic::Model, tr("Only files on this computer can be opened.")});
        return;
    }
    openPaths(paths);
}

void ModelListModel::openPath(const QString& path) {
    openPaths({path});
}

void ModelListModel::openPaths(const QStringList& paths) {
    forgetInspection();
    m_notices.clearBanner(Notices::Topic::Model);
    setInspection(m_engine.recognise(
        paths, [this, number = m_numInspections](const Result<std::vector<Recognition>>& things) {
            if (number != m_numInspections) return;  // another model was chosen since
            if (things && !things->empty())
                onRecognised(*things);
            else if (!things)
                inspectionEnded(things.error());
        }));
}

void ModelListModel::onRecognised(const std::vector<Recognition>& things) {
    // Models come first.
    const auto numModels =
        std::ranges::count_if(things, [](const Recognition& thing) { return !thing.refusal; });
    const std::span<const Recognition> others = std::span(things).subspan(static_cast<size_t>(numModels));
    std::vector<Recognition> texts;
    std::ranges::copy_if(others, std::back_inserter(texts),
                         [](const Recognition& thing) { return thing.can(ModelAction::ReadText); });
    if (!texts.empty()) emit noModelsGiven(texts);
    if (numModels == 0 && texts.empty()) return refuse(things.front());
    if (numModels == 0) {
        setInspection(std::nullopt);
        return decline();
    }
    for (const Recognition& thing : others)
        if (!thing.can(ModelAction::ReadText)) m_notices.showToast(errorSentence(*thing.refusal));
    std::vector<Recognition> models(things.begin(), things.begin() + numModels);
    std::ranges::stable_partition(models, canChat);
    const Recognition& first = models.front();
    if (numModels == 1 && isWorthMakingSmaller(first) && canChat(first)) {
        setInspection(std::nullopt);
        return emit choiceWanted(first);
    }
    for (const Recognition& thing : std::span(models).subspan(1)) keep(thing.info);
    if (numModels > 1)
        m_notices.showToast(
            tr("%n models were recognised; the first is opened.", nullptr, static_cast<int>(numModels)));
    add(first.info);
}

void ModelListModel::refuse(const Recognition& thing) {
    inspectionEnded(*thing.refusal);
    if (!thing.can(ModelAction::GetInstead)) return;
    Notices::Banner banner = Notices::bannerOf(Notices::Topic::Model, *thing.refusal);
    banner.action = tr("Find a model");
    banner.run = [this] { emit insteadWanted(); };
    m_notices.showBanner(std::move(banner));
}

void ModelListModel::decline() {
    if (std::exchange(m_startWithLast, false)) useLast();
}

void ModelListModel::offer(const QString& path) {
    m_engine.inspect(path, [this, path](const Result<ModelInfo>& info) {
        // A download that is not all there yet is no news.
        if (info) onArrived(path, *info);
    });
}

void ModelListModel::onArrived(const QString& path, const ModelInfo& info) {
    emit arrivedWhole(path);
    const bool isKnown =
        std::ranges::any_of(m_models, [&](const ModelEntry& entry) { return toQString(entry.path) == path; });
    if (!hasTokenizer(info) || isKnown) return;
    m_notices.showBanner(
        {.topic = Notices::Topic::Arrival,
         .sentence = tr("%1 has arrived in your downloads.").arg(toQString(library::displayName(info.name))),
         .action = tr("Open"),
         .run = [this, path] { openPath(path); }});
}

void ModelListModel::add(const ModelInfo& info) {
    if (!hasTokenizer(info)) return inspectionEnded(noTokenizer(info.path));
    m_storage.run(
        this, [info](library::Library& library) { return addModel(library, info); },
        [this](const Result<CheckedModel>& checked) {
            if (checked && checked->entry.purpose == ModelPurpose::Embeddings) return welcome(checked->entry);
            inspectionEnded(checked ? std::nullopt : std::optional(checked.error()));
            if (checked) load(checked->entry, checked->file);
        });
}

void ModelListModel::welcome(const ModelEntry& entry) {
    setInspection(std::nullopt);
    decline();
    m_notices.showToast(tr("%1 finds passages in documents from now on. It cannot chat.")
                            .arg(toQString(library::displayName(entry.name))));
    refresh();
}

void ModelListModel::keep(const ModelInfo& info) {
    m_storage.run(
        this, [info](library::Library& library) { return addModel(library, info); },
        [this](const Result<CheckedModel>& checked) {
            if (!checked) return m_notices.showError(Notices::Topic::Model, checked.error());
            refresh();
        });
}

void ModelListModel::forgetInspection() {
    ++m_numInspections;
    if (!m_inspection) return;
    m_engine.cancel(*m_inspection);
    setInspection(std::nullopt);
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
    const auto context = history::profileFromJson(m_current.profile).contextTokens;
    if (m_state != Ready || (m_chosenDevice == m_settings.device() && m_chosenContext == context)) return;
    m_chosenDevice = m_settings.device();
    m_chosenContext = context;
    loadById(m_current.id);
}

void ModelListModel::loadById(const std::string& modelId) {
    const auto work = [id = modelId](library::Library& library) -> Result<CheckedModel> {
        INGLE_TRY(library.reload());
        return checkModel(library, id);
    };
    ++m_numChosen;
    m_storage.run(this, work, [this](const Result<CheckedModel>& checked) {
        --m_numChosen;
        if (checked) return load(checked->entry, checked->file);
        m_notices.showError(Notices::Topic::Model, checked.error());
        emit chosenInVain();
    });
}

void ModelListModel::load(const ModelEntry& entry, FileState file) {
    // Answers of the model in use end here, and not for a file that is no model, or not there.
    if (file != FileState::Missing) emit loadStarting();
    m_current = entry;
    m_failure = failureOf(entry);
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
    m_guesses = m_mayGuess && draft != m_models.end() && draft->id != m_current.id;
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
        if (entry.id != library::kGuideId && entry.purpose == ModelPurpose::Chats)
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
    if (id == m_current.id) m_current.profile = profile;
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

void ModelListModel::measure(const std::string& path, const GenerateStats& stats) {
    if (path.empty() || stats.newTokens < kMeasuredTokens || stats.decodeMs <= 0) return;
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
        if (models) setModels(*models);
    });
}

void ModelListModel::setModels(std::vector<ModelEntry> models) {
    beginResetModel();
    m_models = std::move(models);
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
            return toQString(library::displayName(entry.name));
        case PathRole:
            return toQString(entry.path);
        case CurrentRole:
            return entry.id == m_current.id;
        case DetailsRole:
            return details(entry);
        case TroubleRole:
            return trouble(entry);
        case SpokenRole: {
            const QString name = toQString(library::displayName(entry.name));
            return entry.id == m_current.id ? tr("%1, in use").arg(name) : name;
        }
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
    const auto failure = failureOf(entry);
    return failure ? errorSentence(*failure) : QString();
}

QHash<int, QByteArray> ModelListModel::roleNames() const {
    return {{ModelIdRole, "modelId"}, {NameRole, "name"},       {PathRole, "path"},
            {CurrentRole, "current"}, {DetailsRole, "details"}, {TroubleRole, "trouble"},
            {SpokenRole, "spoken"}};
}

}  // namespace ingle::desktop
