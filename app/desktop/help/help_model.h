/// The help: the pages of docs/help, and of them the sections that a search finds.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariantList>

#include <memory>
#include <string>
#include <vector>

#include "app/desktop/content/chat_rows.h"

namespace ingle::desktop {

class HelpModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    /// Words; sections that have all of them are shown, whatever their case. Empty: everything is shown.
    Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY shownChanged)
    /// What is shown. Another object after every change.
    Q_PROPERTY(ingle::desktop::ChatRows* rows READ rows NOTIFY shownChanged)
    /// The pages of what is shown, in their order: "title", and "row", the row of its heading.
    Q_PROPERTY(QVariantList pages READ pages NOTIFY shownChanged)
  public:
    explicit HelpModel(QObject* parent = nullptr);

    QString query() const { return m_query; }
    void setQuery(const QString& query);
    ChatRows* rows() const { return m_rows.get(); }
    QVariantList pages() const { return m_pages; }

  signals:
    void shownChanged();

  private:
    /// From one heading to the next.
    struct Section {
        size_t page;   ///< index into m_titles
        QString text;  ///< Markdown
        bool isFirst;  ///< of its page, whose title is its heading
    };

    void readPage(const QString& text);
    void show();

    std::vector<QString> m_titles;  ///< of the pages
    std::vector<Section> m_sections;
    QString m_query;
    std::unique_ptr<ChatRows> m_rows;  ///< a page is a message
    QVariantList m_pages;
};

}  // namespace ingle::desktop
