#include "app/desktop/viewmodels/block_list_model.h"

#include <algorithm>

namespace ingle::desktop {

static_assert(static_cast<int>(MarkdownBlock::Kind::Paragraph) == BlockListModel::Paragraph);
static_assert(static_cast<int>(MarkdownBlock::Kind::Reasoning) == BlockListModel::Reasoning);

void BlockListModel::append(std::string_view text) {
    const qsizetype unchanged = m_stream.frozenCount();
    m_stream.append(text);
    const QList<MarkdownBlock>& blocks = m_stream.blocks();
    const qsizetype common = std::min(blocks.size(), m_shown.size());
    for (qsizetype row = unchanged; row < common; ++row) {
        if (blocks[row] == m_shown[row]) continue;
        m_shown[row] = blocks[row];
        emit dataChanged(index(static_cast<int>(row)), index(static_cast<int>(row)));
    }
    if (m_shown.size() > common) {
        beginRemoveRows({}, static_cast<int>(common), static_cast<int>(m_shown.size()) - 1);
        m_shown.resize(common);
        endRemoveRows();
    } else if (blocks.size() > common) {
        beginInsertRows({}, static_cast<int>(common), static_cast<int>(blocks.size()) - 1);
        m_shown.append(blocks.mid(common));
        endInsertRows();
    }
}

int BlockListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant BlockListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const MarkdownBlock& block = m_shown[index.row()];
    switch (role) {
        case KindRole:
            return static_cast<int>(block.kind);
        case LevelRole:
            return block.level;
        case IndentRole:
            return block.indent;
        case QuoteRole:
            return block.quote;
        case MarkerRole:
            return block.marker;
        case HtmlRole:
            return block.html;
        case PlainRole:
            return block.plain;
        case LanguageRole:
            return block.language;
        case RowsRole: {
            QVariantList rows;
            for (const QStringList& row : block.rows) rows.append(QVariant(row));
            return rows;
        }
        case ColumnsRole: {
            QVariantList columns;
            for (Qt::Alignment column : block.columns) columns.append(column.toInt());
            return columns;
        }
        default:
            return {};
    }
}

QHash<int, QByteArray> BlockListModel::roleNames() const {
    return {{KindRole, "kind"},      {LevelRole, "level"},       {IndentRole, "indent"},
            {QuoteRole, "quote"},    {MarkerRole, "marker"},     {HtmlRole, "html"},
            {PlainRole, "plain"},    {LanguageRole, "language"}, {RowsRole, "rows"},
            {ColumnsRole, "columns"}};
}

}  // namespace ingle::desktop
