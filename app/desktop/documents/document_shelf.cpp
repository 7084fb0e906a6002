#include "app/desktop/documents/document_shelf.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/desktop/services/document_sentences.h"
#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/time_text.h"
#include "app/documents/passages.h"
#include "app/documents/read_scan.h"
#include "app/documents/refusals.h"

namespace ingle::desktop {
namespace {

using history::Document;
using history::DocumentReading;
using history::RowId;

/// A reader that was told to end does so in this time.
constexpr std::chrono::milliseconds kOpenPatience{500};
/// How much of a reading's figures a killed window may forget; the memory itself is kept.
constexpr qint64 kStoreEveryMs = 5'000;
/// Beside a document: questions and answers about it.
constexpr uint32_t kBesideTokens = 6'144;

/// Of a scan, with the text that is recognised in its pages.
Result<documents::Document> readAny(const std::string& path, const documents::ScanOptions& options) {
    auto read = documents::readDocument(path, options.reading);
    if (!documents::isScan(read)) return read;
    auto scan = documents::readScan(path, options);
    return documents::isScan(scan) && !scan ? read : scan;
}

Result<history::NewDocument> openDocument(const std::string& path, const documents::ScanOptions& options) {
    INGLE_TRY_ASSIGN(const documents::Document read, readAny(path, options));
    history::NewDocument document{
        .title = read.title, .format = read.format, .leftOut = {}, .text = read.text, .passages = {}};
    for (const documents::Loss& loss : read.leftOut) document.leftOut.push_back(documents::lossText(loss));
    for (documents::Passage& passage : documents::passagesOf(read))
        document.passages.push_back({passage.begin, passage.end, passage.page, std::move(passage.heading)});
    return document;
}

}  // namespace

DocumentShelf::DocumentShelf(StorageThread& storage, EngineClient& engine, ModelInUse& models, Opener& opener,
                             ShownChat& chat, Notices& notices, const std::string& cacheDir, QObject* parent)
    : QAbstractListModel(parent),
      m_storage(storage),
      m_models(models),
      m_opener(opener),
      m_chat(chat),
      m_notices(notices),
      m_reader(storage, engine, models),
      m_embedder(storage, engine, models),
      m_seer(engine, models),
      m_scans(cacheDir.empty() ? std::string() : cacheDir + "/scans"),
      m_openLane("documents", kOpenPatience) {
    connect(&models, &ModelInUse::stateChanged, this, &DocumentShelf::onModel);
    connect(&models, &ModelInUse::promptFormChanged, this, &DocumentShelf::onPromptForm);
    connect(&chat, &ShownChat::conversationChanged, this, &DocumentShelf::showChat);
    connect(&m_reader, &BackgroundReader::changed, this, &DocumentShelf::rowsChanged);
    connect(&m_reader, &BackgroundReader::told, this, &DocumentShelf::onTold);
    connect(&m_reader, &BackgroundReader::refused, this, [this](RowId document, const Error& error) {
        m_notices.showError(Notices::Topic::Files, error);
        // Not again by itself: what a model cannot do it might try for ever.
        if (Document* known = find(document)) setWanted(*known, false);
    });
    connect(&m_embedder, &PassageEmbedder::refused, this,
            [this](const Error& error) { m_notices.showError(Notices::Topic::Files, error); });
    refresh();
    showChat();
}

DocumentShelf::~DocumentShelf() {
    stopOpening();
}

QString DocumentShelf::opening() const {
    if (!m_cancelled) return {};
    const QString name = QFileInfo(toQString(m_toOpen.front().path)).fileName();
    if (m_page == 0) return tr("Opening %1…").arg(name);
    const QString page = tr("page %1 of %2").arg(m_page).arg(m_numPages);
    const QString where = m_seenBy.isEmpty() ? tr("Reading the scan %1: %2").arg(name, page)
                                             : tr("Reading %1 with %2: %3").arg(name, m_seenBy, page);
    if (m_page <= m_firstPage) return where;
    const double each = static_cast<double>(m_sincePage.elapsed()) / 1000 / (m_page - m_firstPage);
    return tr("%1, %2 left").arg(where, timeText(each * (m_numPages - m_page + 1)));
}

// Opening.

void DocumentShelf::offer(const std::vector<Recognition>& things) {
    const bool isIdle = m_toOpen.empty();
    m_toOpen.insert(m_toOpen.end(), things.begin(), things.end());
    if (isIdle) openNext();
}

void DocumentShelf::openNext() {
    m_cancelled = m_toOpen.empty() ? nullptr : std::make_shared<std::atomic<bool>>(false);
    m_givenUp = std::make_shared<std::atomic<bool>>(false);
    m_page = 0;
    emit openingChanged();
    if (!m_cancelled) return;
    const PageSeer::Seer seer = m_seer.seer(m_cancelled).value_or(PageSeer::Seer());
    m_seenBy = seer.name;
    m_openLane.post([self = QPointer(this), path = m_toOpen.front().path, scans = m_scans, seer,
                     cancelled = m_cancelled, givenUp = m_givenUp] {
        documents::ScanOptions options{.reading = {.isCancelled = [&] { return cancelled->load(); }},
                                       .keptIn = scans,
                                       .isGivenUp = [&] { return givenUp->load(); },
                                       .see = seer.see,
                                       .seer = seer.id};
        options.isAt = [&](uint32_t page, uint32_t numPages) {
            const auto tell = [self, cancelled, page, numPages] {
                if (self && self->m_cancelled == cancelled) self->onPage(page, numPages);
            };
            QMetaObject::invokeMethod(QCoreApplication::instance(), tell, Qt::QueuedConnection);
        };
        auto document = openDocument(path, options);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, document = std::move(document)] {
                if (self) self->onOpened(self->m_toOpen.front(), document);
            },
            Qt::QueuedConnection);
    });
}

void DocumentShelf::onPage(uint32_t page, uint32_t numPages) {
    if (numPages == 0) return;
    if (m_page == 0) emit opened();  // it takes minutes, and is seen there
    // Pages that were read before come at once: they say nothing about how long one takes.
    constexpr qint64 kAtOnceMs = 100;
    if (m_page == 0 || (m_page == m_firstPage && m_sincePage.elapsed() < kAtOnceMs)) {
        m_firstPage = page;
        m_sincePage.start();
    }
    m_page = page;
    m_numPages = numPages;
    emit openingChanged();
}

void DocumentShelf::cancelOpening() {
    if (m_cancelled) m_givenUp->store(true);
    stopOpening();
}

void DocumentShelf::stopOpening() {
    if (!m_cancelled) return;
    m_cancelled->store(true);
    m_toOpen.erase(m_toOpen.begin() + 1, m_toOpen.end());
}

void DocumentShelf::onOpened(const Recognition& thing, const Result<history::NewDocument>& document) {
    if (document) {
        m_storage.run(
            this,
            [document = *document](history::History& history) { return addDocument(history, document); },
            [this](const Result<RowId>& added) {
                if (added)
                    onAdded(*added);
                else
                    m_notices.showError(Notices::Topic::History, added.error());
            });
    } else if (isOfADocument(document.error())) {
        m_notices.showBanner({Notices::Topic::Files, documentSentence(thing.path, document.error())});
    } else if (document.error().code != ErrorCode::Cancelled && m_page > 0) {
        // The model that reads it met something; the pages that it has read stay.
        m_notices.showBanner(
            {Notices::Topic::Files,
             tr("%1: %2").arg(QFileInfo(toQString(thing.path)).fileName(), errorSentence(document.error()))});
    } else if (document.error().code != ErrorCode::Cancelled) {
        m_opener.refuse(thing);
    }
    m_toOpen.pop_front();
    openNext();
}

void DocumentShelf::onAdded(RowId document) {
    m_notices.clearBanner(Notices::Topic::Files);
    refresh();
    m_reader.want(document, BackgroundReader::Aim::Cost);
    emit opened();
}

// What there is.

void DocumentShelf::refresh() {
    m_storage.readBehindWrites(
        this, [](history::HistoryReader& history) { return history::documents(history); },
        [this](const Result<Documents>& documents) {
            if (documents) setDocuments(*documents);
        });
}

void DocumentShelf::setDocuments(Documents documents) {
    // What was told meanwhile may not be stored yet.
    for (Document& document : documents)
        if (const Document* known = find(document.id)) document.readings = known->readings;
    if (std::ranges::equal(documents, m_documents, {}, &Document::id, &Document::id)) {
        // The rows stay, and with them the focus and what one of them is asking.
        m_documents = std::move(documents);
        if (!m_documents.empty()) emit dataChanged(index(0), index(rowCount() - 1));
    } else {
        beginResetModel();
        m_documents = std::move(documents);
        endResetModel();
    }
    emit listChanged();
    onModel();
    m_embedder.look();
}

void DocumentShelf::showChat() {
    const RowId before = std::exchange(m_shown, static_cast<RowId>(m_chat.conversationId()));
    // What stands in another chat says nothing about this one; a new one hands its documents on.
    if (before != 0 && before != m_shown) m_inChat.clear();
    m_storage.readBehindWrites(
        this, [shown = m_shown](history::HistoryReader& history) { return documentsOf(history, shown); },
        [this, shown = m_shown](const Result<std::vector<RowId>>& documents) {
            if (shown != m_shown || !documents) return;
            m_inChat = *documents;
            onModel();
        });
}

/// It did not, with a shorter context.
bool DocumentShelf::mayFitNow(const DocumentReading& reading) const {
    return !reading.fits() && reading.tokens + kBesideTokens <= m_models.contextTokens();
}

/// Goes on with what is to be read by the model in use.
void DocumentShelf::onModel() {
    if (m_models.state() == ModelInUse::Ready) {
        for (const Document& document : m_documents) {
            const DocumentReading* reading = readingOf(document);
            if (reading != nullptr && reading->wanted && reading->fits() && !reading->isWhole())
                m_reader.want(document.id, BackgroundReader::Aim::All);
            else if (reading == nullptr ? isInChat(document.id) : mayFitNow(*reading))
                m_reader.want(document.id, BackgroundReader::Aim::Cost);
        }
    }
    rowsChanged();
}

void DocumentShelf::onPromptForm(const std::string& modelId) {
    for (Document& document : m_documents) {
        const auto reading = std::ranges::find(document.readings, modelId, &DocumentReading::modelId);
        if (reading == document.readings.end()) continue;
        m_reader.leave(document.id);
        // It takes as long as before, so the person says when.
        reading->readTokens = 0;
        reading->wanted = false;
        store(document.id, *reading);
    }
    rowsChanged();
}

Document* DocumentShelf::find(RowId document) {
    const auto found = std::ranges::find(m_documents, document, &Document::id);
    return found == m_documents.end() ? nullptr : &*found;
}

const DocumentReading* DocumentShelf::readingOf(const Document& document) const {
    const auto found = std::ranges::find(document.readings, m_models.current().id, &DocumentReading::modelId);
    return found == document.readings.end() ? nullptr : &*found;
}

DocumentReading* DocumentShelf::readingOf(Document& document) const {
    return const_cast<DocumentReading*>(readingOf(std::as_const(document)));
}

bool DocumentShelf::isInChat(RowId document) const {
    return std::ranges::find(m_inChat, document) != m_inChat.end();
}

DocumentShelf::State DocumentShelf::stateOf(const Document& document) const {
    if (m_models.state() != ModelInUse::Ready) return NoModel;
    if (m_models.isRemote()) return Remote;
    const DocumentReading* reading = readingOf(document);
    if (reading != nullptr && !reading->fits()) return TooLong;
    if (reading != nullptr && reading->isWhole()) return Read;
    if (m_reader.isUnderWay(document.id)) return Reading;
    if (m_reader.isPlanning(document.id)) return Planning;
    return reading == nullptr ? Unplanned : Unread;
}

// What the person does.

void DocumentShelf::ask(qint64 document) {
    if (m_chat.readOnly()) return;
    if (!isInChat(document)) {
        auto documents = m_inChat;
        documents.push_back(document);
        setInChat(std::move(documents));
    }
    Document* known = find(document);
    if (known != nullptr && readingOf(*known) == nullptr)
        m_reader.want(document, BackgroundReader::Aim::Cost);
    else
        read(document);
}

void DocumentShelf::putAway(qint64 document) {
    if (m_chat.readOnly()) return;
    auto documents = m_inChat;
    std::erase(documents, document);
    setInChat(std::move(documents));
}

void DocumentShelf::setInChat(std::vector<RowId> documents) {
    m_inChat = documents;
    rowsChanged();
    change([shown = m_shown, documents = std::move(documents)](
               history::History& history) { return setDocumentsOf(history, shown, documents); },
           [this] { emit inChatChanged(); });
}

void DocumentShelf::read(qint64 document) {
    Document* known = find(document);
    if (known == nullptr || stateOf(*known) != Unread) return;
    setWanted(*known, true);
    m_reader.want(document, BackgroundReader::Aim::All);
}

void DocumentShelf::pause(qint64 document) {
    m_reader.leave(document);
    if (Document* known = find(document)) setWanted(*known, false);
}

uint32_t DocumentShelf::contextFor(const Document& document) const {
    if (stateOf(document) != TooLong) return 0;
    const uint32_t wanted = readingOf(document)->tokens + kBesideTokens;
    const uint32_t context = (wanted + 1023) / 1024 * 1024;
    return context > m_models.contextTokens() && context <= m_models.trainedContext() ? context : 0;
}

void DocumentShelf::makeRoom(qint64 document) {
    const Document* known = find(document);
    if (const uint32_t context = known == nullptr ? 0 : contextFor(*known); context > 0)
        m_models.lengthenContext(context);
}

void DocumentShelf::forget(qint64 document) {
    m_reader.leave(document);
    if (Document* known = find(document)) known->readings.clear();
    change([document](history::History& history) { return forgetReadings(history, document); },
           [this] {
               emit keptChanged();
               refresh();
           });
}

void DocumentShelf::forgetAll() {
    std::vector<RowId> all;
    for (Document& each : m_documents) {
        m_reader.leave(each.id);
        each.readings.clear();
        all.push_back(each.id);
    }
    const auto forgetThem = [all](history::History& history) {
        return history.atOnce([&]() -> Status {
            for (const RowId each : all) INGLE_TRY(forgetReadings(history, each));
            return {};
        });
    };
    change(forgetThem, [this] {
        emit keptChanged();
        refresh();
    });
}

void DocumentShelf::remove(qint64 document) {
    m_reader.leave(document);
    change([document](history::History& history) { return removeDocument(history, document); },
           [this] {
               emit keptChanged();
               refresh();
           });
}

void DocumentShelf::setWanted(Document& document, bool wanted) {
    DocumentReading* reading = readingOf(document);
    if (reading == nullptr) return;
    reading->wanted = wanted;
    store(document.id, *reading);
}

// What the reader tells.

void DocumentShelf::onTold(RowId document, const DocumentReading& reading) {
    Document* known = find(document);
    if (known == nullptr) return;
    DocumentReading* before = readingOf(*known);
    const bool isNew = before == nullptr;
    if (isNew) before = &known->readings.emplace_back();
    const bool isTurn = isNew || reading.isWhole() || !reading.fits();
    const bool wanted = before->wanted;
    *before = reading;
    before->wanted = wanted;
    if (isTurn || !m_sinceStored.isValid() || m_sinceStored.elapsed() >= kStoreEveryMs)
        store(document, *before, isNew);
    rowsChanged();
}

void DocumentShelf::store(RowId document, const DocumentReading& reading, bool isNew) {
    m_sinceStored.start();
    change([document, reading](history::History& history) { return setReading(history, document, reading); },
           [this, isNew, fits = reading.fits()] {
               if (isNew) emit keptChanged();
               if (!fits) m_embedder.look();
           });
}

void DocumentShelf::change(std::function<Status(history::History&)> work, std::function<void()> then) {
    m_storage.run(this, std::move(work), [this, then = std::move(then)](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        if (then) then();
    });
}

void DocumentShelf::rowsChanged() {
    if (!m_documents.empty())
        emit dataChanged(index(0), index(rowCount() - 1),
                         {DetailRole, ProgressRole, FractionRole, StateRole, InChatRole, KeptRole, RoomRole});
    emit listChanged();
}

ChatDocuments::ChatDocuments(DocumentShelf& shelf, QObject* parent) : QSortFilterProxyModel(parent) {
    setFilterRole(DocumentShelf::InChatRole);
    setSourceModel(&shelf);
}

bool ChatDocuments::filterAcceptsRow(int row, const QModelIndex& parent) const {
    return sourceModel()->index(row, 0, parent).data(DocumentShelf::InChatRole).toBool();
}

}  // namespace ingle::desktop
