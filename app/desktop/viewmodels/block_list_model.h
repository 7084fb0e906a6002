/// The Markdown blocks of one message as a list model: while the message grows only its last rows change.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include <string_view>

#include "app/desktop/viewmodels/markdown_blocks.h"

namespace ingle::desktop {

class BlockListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by MessageListModel")
  public:
    /// The kinds of MarkdownBlock for QML, in the same order.
    enum Kind { Paragraph, Heading, Code, Table, Rule, Reasoning };
    Q_ENUM(Kind)

    enum Role {
        KindRole = Qt::UserRole,
        LevelRole,
        IndentRole,
        QuoteRole,
        MarkerRole,
        HtmlRole,
        PlainRole,
        LanguageRole,
        RowsRole,
        ColumnsRole
    };

    using QAbstractListModel::QAbstractListModel;

    /// `text`: UTF-8, whole characters.
    void append(std::string_view text);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  private:
    MarkdownStream m_stream;
    QList<MarkdownBlock> m_shown;
};

}  // namespace ingle::desktop
