#include "app/desktop/viewmodels/help_model.h"

#include <QDir>
#include <QFile>
#include <QVariantMap>

#include <algorithm>

namespace ingle::desktop {
namespace {

constexpr QLatin1String kPages(":/qt/qml/Inglenook/help/");
constexpr QLatin1String kPageMark("# ");
constexpr QLatin1String kSectionMark("## ");

}  // namespace

HelpModel::HelpModel(QObject* parent) : QObject(parent) {
    for (const QString& name : QDir(kPages).entryList({"*.md"}, QDir::Files, QDir::Name)) {
        QFile page(kPages + name);
        if (page.open(QIODevice::ReadOnly)) readPage(QString::fromUtf8(page.readAll()));
    }
    show();
}

void HelpModel::readPage(const QString& text) {
    for (const QString& line : text.split('\n')) {
        const bool isTitle = line.startsWith(kPageMark);
        if (isTitle) m_titles.push_back(line.mid(kPageMark.size()));
        if (isTitle || line.startsWith(kSectionMark))
            m_sections.push_back({m_titles.size() - 1, QString(), isTitle});
        if (!m_sections.empty()) m_sections.back().text += line + '\n';
    }
}

void HelpModel::setQuery(const QString& query) {
    if (query == m_query) return;
    m_query = query;
    show();
}

void HelpModel::show() {
    const QStringList words = m_query.split(' ', Qt::SkipEmptyParts);
    auto shown = std::make_unique<BlockListModel>();
    m_pages.clear();
    size_t page = m_titles.size();
    for (const Section& section : m_sections) {
        const QString& title = m_titles[section.page];
        const bool found = std::ranges::all_of(words, [&](const QString& word) {
            return section.text.contains(word, Qt::CaseInsensitive) ||
                   title.contains(word, Qt::CaseInsensitive);
        });
        if (!found) continue;
        if (section.page != page) {
            page = section.page;
            m_pages.append(QVariantMap{{"title", title}, {"row", shown->rowCount()}});
            if (!section.isFirst) shown->append((kPageMark + title + "\n\n").toStdString());
        }
        shown->append(section.text.toStdString());
    }
    // The view lets go of the former blocks before they are gone.
    m_blocks.swap(shown);
    emit shownChanged();
}

}  // namespace ingle::desktop
