/// The unsent text of the conversation shown with what is attached to it, and its way into the history. GUI
/// thread.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

#include "app/desktop/services/storage_thread.h"
#include "app/history/chats/pictures.h"
#include "app/history/turns.h"

namespace ingle::desktop {

/// What is sent with a text.
struct Attached {
    QString text;     ///< a long one that was pasted; of a picture what it shows
    QString picture;  ///< its hash (history::storePicture()); empty: it is a text

    bool isPicture() const { return !picture.isEmpty(); }
};

/// What is going to be one message.
struct Draft {
    QString text;
    QList<Attached> attached;

    bool isEmpty() const { return text.isEmpty() && attached.isEmpty(); }
    /// All of it as the history keeps it: behind the text each that is attached, with U+001D before it. See
    /// history::kDraftPicture.
    QString stored() const;
    static Draft fromStored(const QString& stored);
};

/// Saves a draft a moment after the last change, and before another one takes its place; nothing before the
/// first one is shown.
class DraftKeeper : public QObject {
    Q_OBJECT
  public:
    explicit DraftKeeper(StorageThread& storage, QObject* parent = nullptr);
    /// Saves what was written last.
    ~DraftKeeper() override;

    const QString& text() const { return m_draft.text; }
    const QList<Attached>& attached() const { return m_draft.attached; }
    /// What the person has written by now.
    void edit(const QString& text);
    /// Another conversation is shown (0: a new one), whose draft is `stored`.
    void show(history::RowId conversation, const QString& stored);
    /// Empties the composer and returns what was in it.
    Draft take();
    /// Puts what was taken back before what has been written in that conversation since.
    void putBack(history::RowId conversation, const Draft& draft);
    /// Adds one to what is attached, as number `at`.
    void attach(const Attached& one, qsizetype at);
    /// Adds a picture as number `at`, and stores it with the draft at once. `failed` is called where it
    /// cannot be stored; it is detached then.
    void attach(const Attached& picture, qsizetype at, std::shared_ptr<const history::PictureFile> file,
                std::function<void(const Error&)> failed);
    /// Says what a picture shows.
    void describe(qsizetype at, const QString& text);
    /// Takes one away and returns it.
    Attached detach(qsizetype at);
    /// Adds what was written elsewhere.
    void append(const Draft& draft);
    /// Adds text behind the draft, on a line of its own.
    void appendLine(const QString& words);
    /// Adds text behind the draft.
    void append(const QString& text);
    /// What is being written in another field and would be the draft's, too, if it were never sent: it is
    /// stored behind the draft and not shown. Empty: there is none any more.
    void setBeside(const QString& words);

  signals:
    /// The text is another one, and not because the person wrote it.
    void replaced();

  private:
    void replace(Draft draft);
    void saveChanges();
    void saveNow();
    /// With more behind it.
    QString followedBy(const QString& words) const;
    void save(history::RowId conversation, const Draft& draft);
    /// The draft as it is to be stored.
    Draft unsent() const { return {followedBy(m_beside), m_draft.attached}; }

    StorageThread& m_storage;
    QTimer m_delay;                                ///< runs while there are changes to save
    std::optional<history::RowId> m_conversation;  ///< nothing: none has been shown yet
    Draft m_draft;
    QString m_beside;
};

}  // namespace ingle::desktop
