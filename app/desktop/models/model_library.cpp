#include "app/desktop/models/model_library.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/desktop/models/model_words.h"
#include "app/desktop/services/library_models.h"
#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using library::FileState;
using library::ModelEntry;
using library::ModelPurpose;

}  // namespace

ModelLibrary::ModelLibrary(StorageThread& storage, EngineClient& engine, ModelInUse& models, Notices& notices,
                           QObject* parent)
    : QAbstractListModel(parent), m_storage(storage), m_engine(engine), m_inUse(models), m_notices(notices) {
    connect(&models, &ModelInUse::entriesChanged, this, &ModelLibrary::setEntries);
    connect(&models, &ModelInUse::stateChanged, this, [this] {
        // What was looked at before it was loaded is old.
        if (m_inUse.state() == ModelInUse::Ready) m_looks.erase(m_inUse.current().id);
        changed();
    });
    connect(&engine, &EngineClient::alsoLoadedChanged, this, [this](const QString& path) {
        m_alsoLoaded = path.toStdString();
        changed();
    });
}

void ModelLibrary::setEntries() {
    beginResetModel();
    m_models = m_inUse.entries();
    endResetModel();
    emit listChanged();
    describeAnew();
}

void ModelLibrary::describeAnew() {
    ++m_revision;
    emit described();
}

QString ModelLibrary::firstNamed(const QString& words) const {
    const auto found = std::ranges::find_if(m_models, [&words](const ModelEntry& entry) {
        return nameOf(entry).contains(words.trimmed(), Qt::CaseInsensitive);
    });
    return found == m_models.end() ? QString() : toQString(found->id);
}

QString ModelLibrary::currentId() const {
    return toQString(m_inUse.current().id);
}

QVariantMap ModelLibrary::describe(const QString& modelId) const {
    const auto found = std::ranges::find(m_models, modelId.toStdString(), &ModelEntry::id);
    if (found == m_models.end())
        return {{"name", QString()},
                {"trouble", QString()},
                {"path", QString()},
                {"current", false},
                {"remote", false},
                {"facts", QVariantList()},
                {"visionFiles", QVariantList()}};
    return {{"name", nameOf(*found)},
            {"trouble", trouble(*found)},
            {"path", toQString(found->path)},
            {"current", isCurrent(*found)},
            {"remote", protocol::isRemote(found->path)},
            {"facts", facts(*found)},
            {"visionFiles", visionFiles(*found)}};
}

QVariantList ModelLibrary::visionFiles(const ModelEntry& entry) const {
    QVariantList files;
    if (!isCurrent(entry) || m_inUse.state() != ModelInUse::Ready) return files;
    for (const QString& path : m_inUse.visionFiles())
        files << QVariantMap{
            {"name", QFileInfo(path).fileName()}, {"path", path}, {"chosen", path == m_inUse.visionFile()}};
    return files;
}

QVariantList ModelLibrary::facts(const ModelEntry& entry) const {
    QVariantList all;
    const auto add = [&all](const QString& name, const QString& value) {
        if (!value.isEmpty()) all.append(QVariantMap{{"name", name}, {"value", value}});
    };
    if (protocol::isRemote(entry.path)) {
        add(tr("Computer"), toQString(entry.summary));
        add(tr("What you ask"), tr("is sent to %1").arg(toQString(entry.summary)));
        return all;
    }
    const bool runs = isCurrent(entry) && m_inUse.state() == ModelInUse::Ready;
    const auto tokens = [](uint32_t count) { return tr("%1 tokens").arg(QLocale().toString(count)); };
    const auto look = m_looks.find(entry.id);
    if (entry.purpose == ModelPurpose::Embeddings) add(tr("Used for"), tr("finding passages in documents"));
    add(tr("Kind and size"), toQString(entry.summary));
    if (entry.fingerprint.bytes > 0) add(tr("File"), sizeText(entry.fingerprint.bytes));
    if (entry.measuredPerSecond > 0)
        add(tr("Speed of its last answers"), measuredText(entry.measuredPerSecond));
    else
        add(tr("Speed, as foretold"), speedText(entry.tokensPerSecond));
    if (runs) add(tr("Computed by"), m_inUse.device());
    if (runs && m_inUse.contextTokens() > 0) add(tr("Context now"), tokens(m_inUse.contextTokens()));
    if (runs && m_inUse.trainedContext() > 0) add(tr("Longest context"), tokens(m_inUse.trainedContext()));
    if (runs || isInMemory(entry))
        add(tr("Memory"), tr("it is in memory and answers at once"));
    else if (look != m_looks.end() && look->second.memory.needBytes() > 0)
        add(tr("Memory"), look->second.memory.fits()
                              ? tr("needs %1; that is free").arg(sizeText(look->second.memory.needBytes()))
                              : fitText(look->second.memory));
    if (runs && m_inUse.seesPictures())
        add(tr("Sees pictures by"), QFileInfo(m_inUse.visionFile()).fileName());
    else if (runs && !m_inUse.visionTrouble().isEmpty())
        add(tr("Sees no pictures"), m_inUse.visionTrouble());
    add(tr("Where it lies"), toQString(entry.path));
    return all;
}

void ModelLibrary::look() {
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
            if (each.file == FileState::Missing || isCurrent(each.entry) || isInMemory(each.entry)) continue;
            m_engine.inspect(toQString(each.entry.path),
                             whileAlive(this, [this, id](const Result<ModelInfo>& info) {
                                 m_looks[id].memory = info ? info->memory : MemoryEstimate();
                                 changed(id);
                             }));
        }
    });
}

void ModelLibrary::lookBeyond() {
    const auto onTold = [this](const Result<std::vector<Recognition>>& things) {
        auto remote = things ? remoteEntries(*things) : std::vector<ModelEntry>();
        const bool isThere = things || errorIdOf(things.error()) != ErrorId::BridgeMissing;
        const QString trouble = isThere && !things ? errorSentence(things.error()) : QString();
        const auto isIt = [](const ModelEntry& a, const ModelEntry& b) {
            return a.id == b.id && a.summary == b.summary;
        };
        std::vector<ModelEntry> known;
        std::ranges::copy_if(m_models, std::back_inserter(known),
                             [](const ModelEntry& each) { return protocol::isRemote(each.path); });
        if (std::ranges::equal(remote, known, isIt) && trouble == m_remoteTrouble) return;
        m_remoteTrouble = trouble;
        m_inUse.setRemote(std::move(remote));
    };
    m_engine.recognise({toQString(std::string(protocol::kRemotePrefix))}, whileAlive(this, onTold));
}

void ModelLibrary::changed() {
    if (m_models.empty()) return;
    emit dataChanged(index(0), index(rowCount() - 1), {CurrentRole, DetailsRole, SpokenRole});
    describeAnew();
}

void ModelLibrary::changed(const std::string& modelId) {
    const auto found = std::ranges::find(m_models, modelId, &ModelEntry::id);
    if (found == m_models.end()) return;
    const QModelIndex row = index(static_cast<int>(found - m_models.begin()));
    emit dataChanged(row, row, {DetailsRole, TroubleRole});
    describeAnew();
}

void ModelLibrary::forget(const QString& modelId) {
    if (protocol::isRemote(modelId.toStdString())) return;
    const auto work = [id = modelId.toStdString()](library::Library& library) -> Status {
        return library.remove(id);
    };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) m_notices.showError(Notices::Topic::Model, status.error());
        m_inUse.refresh();
    });
}

int ModelLibrary::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_models.size());
}

QVariant ModelLibrary::data(const QModelIndex& index, int role) const {
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
            return isCurrent(entry);
        case DetailsRole:
            return details(entry);
        case TroubleRole:
            return trouble(entry);
        case SpokenRole: {
            const QString name = nameOf(entry);
            return isCurrent(entry) ? tr("%1, in use").arg(name) : name;
        }
        case RemoteRole:
            return protocol::isRemote(entry.path);
        case PlaceRole:
            return protocol::isRemote(entry.path) ? tr("On other computers") : QString();
        default:
            return {};
    }
}

bool ModelLibrary::isInMemory(const ModelEntry& entry) const {
    return entry.path == m_alsoLoaded && !isCurrent(entry);
}

QString ModelLibrary::details(const ModelEntry& entry) const {
    if (protocol::isRemote(entry.path)) return tr("What you ask is sent to %1").arg(toQString(entry.summary));
    const auto look = m_looks.find(entry.id);
    const bool isForPassages = entry.purpose == ModelPurpose::Embeddings;
    QStringList all{toQString(entry.summary), isForPassages ? tr("finds passages in documents") : QString(),
                    entry.measuredPerSecond > 0 ? measuredText(entry.measuredPerSecond)
                                                : speedText(entry.tokensPerSecond)};
    if (isInMemory(entry))
        all.prepend(tr("In memory: answers at once"));
    else if (look != m_looks.end())
        all.append(fitText(look->second.memory));
    all.removeAll(QString());
    return all.join(QStringLiteral(" · "));
}

QString ModelLibrary::trouble(const ModelEntry& entry) const {
    const auto look = m_looks.find(entry.id);
    if (look != m_looks.end() && look->second.file != FileState::Same) return fileText(look->second.file);
    return entry.failure ? errorSentence(*entry.failure) : QString();
}

QHash<int, QByteArray> ModelLibrary::roleNames() const {
    return {{ModelIdRole, "modelId"}, {NameRole, "name"},       {PathRole, "path"},
            {CurrentRole, "current"}, {DetailsRole, "details"}, {TroubleRole, "trouble"},
            {SpokenRole, "spoken"},   {RemoteRole, "remote"},   {PlaceRole, "place"}};
}

}  // namespace ingle::desktop
