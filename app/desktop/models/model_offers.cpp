#include "app/desktop/models/model_offers.h"

#include <QCoreApplication>
#include <QDate>
#include <QLocale>
#include <QPointer>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/desktop/models/model_words.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

constexpr size_t kMaxGood = 3;
constexpr double kGb = 1e9;

/// Looking leaves nothing unfinished: where it hangs with a network the end of the program does not wait.
constexpr std::chrono::milliseconds kLookPatience{200};
/// When the window is there and the model that it begins with.
constexpr std::chrono::milliseconds kStart{400};

/// "8", "5.2": memory as shops count it, with a digit behind the point where that says something.
QString gigabytes(uint64_t bytes) {
    const double count = static_cast<double>(bytes) / kGb;
    return QLocale().toString(count, 'f', count < 10 ? 1 : 0);
}

QString useText(const library::CatalogModel& model) {
    if (library::isEmbedding(model)) return ModelOffers::tr("finds passages in documents");
    return model.use == "code" ? ModelOffers::tr("code") : ModelOffers::tr("chat");
}

}  // namespace

ModelOffers::ModelOffers(EngineClient& engine, Opener& opener, DesktopPortal& portal, std::string catalog,
                         library::ModelPlaces places, QObject* parent)
    : QAbstractListModel(parent),
      m_engine(engine),
      m_opener(opener),
      m_portal(portal),
      m_catalogPath(std::move(catalog)),
      m_places(std::move(places)),
      m_looking("model-places", kLookPatience) {
    connect(&engine, &EngineClient::computerDescribed, this, [this](const ComputerInfo& computer) {
        m_computer = computer;
        beginResetModel();
        chooseGood();
        endResetModel();
        emit changed();
    });
    connect(&opener, &Opener::awaitedChanged, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0), index(rowCount() - 1), {AwaitedRole});
    });
}

void ModelOffers::get(const QString& file, const QString& address) {
    m_opener.setAwaited(file);
    m_portal.openLink(address);
}

void ModelOffers::refresh() {
    // How fast memory is read is measured the first time, on all cores: not while the window opens and a
    // model is loaded.
    const auto delay = m_computer.usableBytes == 0 ? kStart : std::chrono::milliseconds(0);
    QTimer::singleShot(delay, this, [this] { m_engine.describeComputer(); });
    // On a thread of its own: other programs' folders may lie on a slow disk, and nothing else must wait.
    m_looking.post([self = QPointer(this), path = m_catalogPath, places = m_places] {
        // A list that cannot be read costs its rows only.
        auto catalog = library::readCatalog(path).value_or(library::Catalog());
        auto found = library::findModels(places);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, catalog = std::move(catalog), found = std::move(found)]() mutable {
                if (self) self->setOffers(std::move(catalog), std::move(found));
            },
            Qt::QueuedConnection);
    });
}

void ModelOffers::setOffers(library::Catalog catalog, std::vector<library::FoundModel> found) {
    beginResetModel();
    m_catalog = std::move(catalog);
    m_found = std::move(found);
    chooseGood();
    endResetModel();
    emit changed();
}

void ModelOffers::chooseGood() {
    m_good.clear();
    m_order.clear();
    for (const auto& model : library::goodChoices(m_catalog.models, computerSize(), kMaxGood))
        m_good.push_back(model.name);
    for (const std::string& name : m_good)
        m_order.push_back(&*std::ranges::find(m_catalog.models, name, &library::CatalogModel::name));
    for (const library::CatalogModel& model : m_catalog.models)
        if (std::ranges::find(m_good, model.name) == m_good.end()) m_order.push_back(&model);
}

QString ModelOffers::computer() const {
    if (m_computer.usableBytes == 0) return {};
    return tr("This computer: %1 GB of memory, %2 GB free.")
        .arg(gigabytes(m_computer.usableBytes), gigabytes(m_computer.availableBytes));
}

QString ModelOffers::age() const {
    const QDate asOf = QDate::fromString(toQString(m_catalog.asOf), Qt::ISODate);
    if (!asOf.isValid()) return {};
    return tr("This list is of %1 and is never updated over the network.")
        .arg(QLocale().toString(asOf, "d MMMM yyyy"));
}

int ModelOffers::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_found.size() + m_order.size());
}

QVariant ModelOffers::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<size_t>(index.row());
    return row < m_found.size() ? foundData(m_found[row], role)
                                : catalogData(*m_order[row - m_found.size()], role);
}

bool ModelOffers::isGood(const library::CatalogModel& model) const {
    return std::ranges::find(m_good, model.name) != m_good.end();
}

QVariant ModelOffers::foundData(const library::FoundModel& model, int role) const {
    switch (role) {
        case NameRole:
            return toQString(shown(model.name));
        case SummaryRole:
            return tr("%1 GB · kept by %2").arg(gigabytes(model.bytes), toQString(model.program));
        case SectionRole:
            return tr("On this computer already");
        case GoodRole:
        case AwaitedRole:
            return false;
        case PleasantRole:
            return true;
        case PathRole:
            return toQString(model.path);
        default:
            return {};
    }
}

QVariant ModelOffers::catalogData(const library::CatalogModel& model, int role) const {
    switch (role) {
        case NameRole:
            return toQString(model.name);
        case SummaryRole:
            return tr("%1 · %2 · for %3 GB of memory or more")
                .arg(useText(model), toQString(model.licence))
                .arg(model.memoryGb);
        case SectionRole:
            return isGood(model) ? tr("Recommended for this computer") : tr("All models");
        case GoodRole:
            return isGood(model);
        case SpeedRole: {
            if (library::isEmbedding(model)) return {};
            const double speed = library::foretoldSpeed(model, computerSize());
            const QString words = speedText(speed);
            if (words.isEmpty() || speed >= library::kPleasantTokensPerSecond) return words;
            return tr("%1: slow on this computer").arg(words);
        }
        case PleasantRole: {
            const double speed = library::foretoldSpeed(model, computerSize());
            return library::isEmbedding(model) || speed == 0 || speed >= library::kPleasantTokensPerSecond;
        }
        case FileRole:
            return toQString(model.file);
        case SizeRole:
            return tr("%1 GB").arg(QLocale().toString(model.fileGb, 'f', model.fileGb < 10 ? 2 : 1));
        case AddressRole:
            return toQString(library::fileAddress(model));
        case AwaitedRole:
            return m_opener.awaited() == toQString(model.file);
        case PageRole:
            return toQString(model.page);
        default:
            return {};
    }
}

QHash<int, QByteArray> ModelOffers::roleNames() const {
    return {{NameRole, "name"}, {SummaryRole, "summary"}, {SectionRole, "section"},
            {GoodRole, "good"}, {SpeedRole, "speed"},     {PleasantRole, "pleasant"},
            {FileRole, "file"}, {SizeRole, "size"},       {AddressRole, "address"},
            {PageRole, "page"}, {PathRole, "path"},       {AwaitedRole, "awaited"}};
}

}  // namespace ingle::desktop
