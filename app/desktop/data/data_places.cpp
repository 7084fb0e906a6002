#include "app/desktop/data/data_places.h"

#include <QFileInfo>
#include <QTimer>

#include <chrono>
#include <numeric>
#include <utility>

#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"
#include "app/history/documents/documents.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;
using storage::DataPlace;
using storage::PlaceKind;

/// The engine removes memory at its leisure and does not say when it has.
constexpr auto kForgetting = 700ms;

QString titleOf(const DataPlace& place) {
    const QString name = QFileInfo(toQString(place.path)).fileName();
    switch (place.kind) {
        case PlaceKind::History:
            return DataPlaces::tr("Your conversations, documents and settings");
        case PlaceKind::Backups:
            return DataPlaces::tr("Backups of your conversations");
        case PlaceKind::HistoryAside:
            return DataPlaces::tr("Conversations that were put aside: %1").arg(name);
        case PlaceKind::ChatMemory:
            return DataPlaces::tr(
                "What models have read of conversations, so that they need not read it again");
        case PlaceKind::DocumentMemory:
            return DataPlaces::tr("What models have read of documents");
        case PlaceKind::MadeModel:
            return DataPlaces::tr("A model that was made smaller: %1").arg(name);
        case PlaceKind::CrashReports:
            return DataPlaces::tr("Reports of crashes; they hold nothing you wrote");
        case PlaceKind::Caches:
            return DataPlaces::tr("Things that are made again when they are missing");
        case PlaceKind::Other:
            return DataPlaces::tr("The list of models, and locks");
    }
    return {};
}

QString priceOf(PlaceKind kind) {
    switch (kind) {
        case PlaceKind::Backups:
            return DataPlaces::tr("All backups go; there is no way back to how the conversations were.");
        case PlaceKind::HistoryAside:
            return DataPlaces::tr("This file goes for good, with all conversations in it.");
        case PlaceKind::ChatMemory:
            return DataPlaces::tr(
                "The next answer in each conversation begins later: it is read again first.");
        case PlaceKind::DocumentMemory:
            return DataPlaces::tr("Documents stay on the shelf and have to be read again, which takes long.");
        case PlaceKind::MadeModel:
            return DataPlaces::tr("The model goes; it can be made again from the one that it was made of.");
        case PlaceKind::CrashReports:
            return DataPlaces::tr("Nothing is lost but what could have helped to find a mistake.");
        case PlaceKind::Caches:
            return DataPlaces::tr("Nothing is lost; the next start takes a little longer.");
        default:
            return {};
    }
}

}  // namespace

DataPlaces::DataPlaces(StorageThread& storage, EngineClient& engine, Notices& notices, std::string dataDir,
                       std::string cacheDir, QObject* parent)
    : QAbstractListModel(parent),
      m_storage(storage),
      m_engine(engine),
      m_notices(notices),
      m_folders{std::move(dataDir), std::move(cacheDir), {}} {}

QString DataPlaces::sentence() const {
    const uint64_t all =
        std::accumulate(m_places.begin(), m_places.end(), uint64_t{0},
                        [](uint64_t sum, const DataPlace& place) { return sum + place.bytes; });
    return tr("All of it takes %1. Models that you opened stay where they are and are not counted.")
        .arg(sizeText(all));
}

void DataPlaces::refresh() {
    // Its file may have another name than usual: somebody put another one in its place.
    const auto nameOf = [](history::History& history) -> Result<QString> {
        return QFileInfo(toQString(history.path())).fileName();
    };
    m_storage.run(this, nameOf, [this](const Result<QString>& name) {
        m_folders.history = name ? name->toStdString() : "history.sqlite";
        const auto measure = [folders = m_folders]() -> Result<std::vector<DataPlace>> {
            return storage::dataPlaces(folders);
        };
        m_storage.run(this, measure, [this](const Result<std::vector<DataPlace>>& places) {
            beginResetModel();
            m_places = *places;
            endResetModel();
            emit listChanged();
        });
    });
}

void DataPlaces::remove(int row) {
    if (row < 0 || row >= rowCount()) return;
    const DataPlace place = m_places[static_cast<size_t>(row)];
    if (place.kind == PlaceKind::ChatMemory) return forgetChats();
    if (place.kind == PlaceKind::DocumentMemory) {
        emit documentMemoryUnwanted();
        QTimer::singleShot(kForgetting, this, &DataPlaces::refresh);
        return;
    }
    const auto work = [folders = m_folders, place] { return storage::removeFiles(folders, place); };
    m_storage.run(this, work, [this, place](const Status& removed) {
        if (!removed) m_notices.showError(Notices::Topic::Files, removed.error());
        refresh();
        if (place.kind == PlaceKind::Backups) emit backupsRemoved();
    });
}

void DataPlaces::forgetChats() {
    m_storage.run(
        this, [](history::HistoryReader& history) { return history::documentsRead(history); },
        [this](const Result<std::vector<history::RowId>>& documents) {
            if (!documents) return m_notices.showError(Notices::Topic::History, documents.error());
            protocol::Retain kept;
            for (const history::RowId each : *documents) kept.documents.push_back(std::to_string(each));
            m_engine.retain(kept);
            QTimer::singleShot(kForgetting, this, &DataPlaces::refresh);
        });
}

int DataPlaces::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_places.size());
}

QVariant DataPlaces::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const DataPlace& place = m_places[static_cast<size_t>(index.row())];
    switch (role) {
        case TitleRole:
            return titleOf(place);
        case SizeRole:
            return sizeText(place.bytes);
        case PathRole:
            return toQString(place.path);
        case PriceRole:
            return priceOf(place.kind);
        default:
            return {};
    }
}

QHash<int, QByteArray> DataPlaces::roleNames() const {
    return {{TitleRole, "title"}, {SizeRole, "size"}, {PathRole, "path"}, {PriceRole, "price"}};
}

}  // namespace ingle::desktop
