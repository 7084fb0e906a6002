/// The documents there are: how a dropped file becomes one, what the model in use has read of them, and which
/// of them stand in the chat in view. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QElapsedTimer>
#include <QSortFilterProxyModel>

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "app/desktop/documents/background_reader.h"
#include "app/desktop/documents/page_seer.h"
#include "app/desktop/documents/passage_embedder.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/opener.h"
#include "app/desktop/services/shown_chat.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/documents/documents.h"
#include "app/storage/lane.h"
#include "ingle/recognition.h"

namespace ingle::desktop {

class DocumentShelf : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    /// What is being opened, in a sentence; empty: nothing.
    Q_PROPERTY(QString opening READ opening NOTIFY openingChanged)
    /// What all of it takes on the disk, and what would take less; or how a document comes here.
    Q_PROPERTY(QString sentence READ sentence NOTIFY listChanged)
  public:
    enum State {
        NoModel,
        Remote,     ///< the model in use is on another computer, and gets passages
        Unplanned,  ///< nobody knows what the model in use makes of it
        Planning,
        TooLong,
        Unread,
        Reading,
        Read,
    };
    Q_ENUM(State)

    enum Role {
        DocumentRole = Qt::UserRole,
        TitleRole,
        DetailRole,    ///< what it is, and what of it is missing
        ProgressRole,  ///< how far the model in use is, what it costs
        FractionRole,  ///< read, 0 … 1
        StateRole,
        InChatRole,
        KeptRole,  ///< something of it is kept for a model
        RoomRole,  ///< with a longer context the model in use could hold it
    };

    /// `cacheDir`: for pages of scans that are being read; empty: they are kept nowhere.
    DocumentShelf(StorageThread& storage, EngineClient& engine, ModelInUse& models, Opener& opener,
                  ShownChat& chat, Notices& notices, const std::string& cacheDir, QObject* parent = nullptr);
    ~DocumentShelf() override;

    QString opening() const;
    QString sentence() const;

    /// Makes documents of what was dropped and is no model, or says why not.
    void offer(const std::vector<Recognition>& things);
    /// For good: pages of a scan that were read so far are forgotten.
    Q_INVOKABLE void cancelOpening();
    Q_INVOKABLE void refresh();
    /// It stands in the chat in view from now on, and is read if what that costs is known.
    Q_INVOKABLE void ask(qint64 document);
    /// It does not stand there any more.
    Q_INVOKABLE void putAway(qint64 document);
    Q_INVOKABLE void read(qint64 document);
    Q_INVOKABLE void pause(qint64 document);
    /// Loads the model in use with a context that holds it.
    Q_INVOKABLE void makeRoom(qint64 document);
    /// What models have read of it goes; it stays.
    Q_INVOKABLE void forget(qint64 document);
    /// Of all.
    void forgetAll();
    /// From the shelf; conversations that have it keep it.
    Q_INVOKABLE void remove(qint64 document);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    void openingChanged();
    /// Something was opened, or takes long to open, or the person wants to see what there is.
    void opened();
    /// Other documents are kept for.
    void keptChanged();
    /// Other documents stand in the chat in view.
    void inChatChanged();

  private:
    using Documents = std::vector<history::Document>;

    history::Document* find(history::RowId document);
    /// Of the model in use; null: none is known.
    history::DocumentReading* readingOf(history::Document& document) const;
    const history::DocumentReading* readingOf(const history::Document& document) const;
    bool mayFitNow(const history::DocumentReading& reading) const;
    State stateOf(const history::Document& document) const;
    QString detailOf(const history::Document& document) const;
    QString progressOf(const history::Document& document) const;
    QString costOf(const history::DocumentReading& reading) const;
    bool isInChat(history::RowId document) const;
    /// A longer context than the one now that the document fits, in tokens; 0: there is none.
    uint32_t contextFor(const history::Document& document) const;

    void openNext();
    /// What is being opened is left where it is, and what waits is not opened.
    void stopOpening();
    /// Of the scan that is being read.
    void onPage(uint32_t page, uint32_t numPages);
    void onOpened(const Recognition& thing, const Result<history::NewDocument>& document);
    void onAdded(history::RowId document);
    void setInChat(std::vector<history::RowId> documents);
    void showChat();
    void setDocuments(Documents documents);
    void onModel();
    /// What that model has read is of no use any more.
    void onPromptForm(const std::string& modelId);
    void onTold(history::RowId document, const history::DocumentReading& reading);
    void setWanted(history::Document& document, bool wanted);
    void store(history::RowId document, const history::DocumentReading& reading, bool isNew = false);
    void change(std::function<Status(history::History&)> work, std::function<void()> then = {});
    void rowsChanged();

    StorageThread& m_storage;
    ModelInUse& m_models;
    Opener& m_opener;
    ShownChat& m_chat;
    Notices& m_notices;
    BackgroundReader m_reader;
    PassageEmbedder m_embedder;
    PageSeer m_seer;
    Documents m_documents;
    std::vector<history::RowId> m_inChat;
    history::RowId m_shown = 0;  ///< the conversation of m_inChat
    QElapsedTimer m_sinceStored;

    std::deque<Recognition> m_toOpen;
    std::string m_scans;  ///< folder for their pages; empty: none
    /// What is being opened is a scan, of which this page is read; 0: it is none.
    uint32_t m_page = 0, m_numPages = 0;
    QString m_seenBy;           ///< the model that reads it; empty: Tesseract does
    QElapsedTimer m_sincePage;  ///< since the second page that was read now
    uint32_t m_firstPage = 0;
    std::shared_ptr<std::atomic<bool>> m_cancelled;  ///< of what is being opened; null: nothing is
    std::shared_ptr<std::atomic<bool>> m_givenUp;    ///< … for good
    storage::Lane m_openLane;
};

/// Those that stand in the chat in view.
class ChatDocuments : public QSortFilterProxyModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
  public:
    explicit ChatDocuments(DocumentShelf& shelf, QObject* parent = nullptr);

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

}  // namespace ingle::desktop
