/// What a search found, marked in a list of rows: every word of it, wherever it stands.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QVariantList>

#include <memory>

#include "app/desktop/content/block_document.h"
#include "app/history/text/word_finder.h"

namespace ingle::desktop {

/// The words that all rows of a list mark. GUI thread.
class FoundWords : public QObject {
    Q_OBJECT
    QML_ELEMENT
    /// As they are searched for; empty: nothing is marked.
    Q_PROPERTY(QString text READ text WRITE setText NOTIFY textChanged)
  public:
    using QObject::QObject;

    const QString& text() const { return m_text; }
    void setText(const QString& text);
    /// Null: there are none.
    const history::WordFinder* finder() const { return m_finder.get(); }

  signals:
    void textChanged();

  private:
    QString m_text;
    std::unique_ptr<history::WordFinder> m_finder;
};

/// Where they stand in one block. GUI thread.
class FoundMarks : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(ingle::desktop::FoundWords* words READ words WRITE setWords NOTIFY wordsChanged)
    Q_PROPERTY(ingle::desktop::BlockDocument* document READ document WRITE setDocument NOTIFY documentChanged)
    /// In the coordinates of the document: a word that goes over the end of a line has several.
    Q_PROPERTY(QVariantList rectangles READ rectangles NOTIFY rectanglesChanged)
  public:
    explicit FoundMarks(QObject* parent = nullptr);

    FoundWords* words() const { return m_words; }
    void setWords(FoundWords* words);
    BlockDocument* document() const { return m_document; }
    void setDocument(BlockDocument* document);
    const QVariantList& rectangles() const { return m_rectangles; }

  signals:
    void wordsChanged();
    void documentChanged();
    void rectanglesChanged();

  private:
    void look();

    QPointer<FoundWords> m_words;
    QPointer<BlockDocument> m_document;
    QTimer m_look;  ///< once, after all that changes at once
    QVariantList m_rectangles;
};

}  // namespace ingle::desktop
