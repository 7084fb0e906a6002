#include "app/desktop/help/help_model.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QVariantMap>

#include <algorithm>

#include "app/brokers/brokers.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

constexpr QLatin1String kPages(":/qt/qml/Inglenook/help/");
constexpr QLatin1String kPageMark("# ");
constexpr QLatin1String kSectionMark("## ");

/// Whether a line begins a block of Markdown: all others go on with the one before.
bool beginsBlock(const QString& line) {
    static const QRegularExpression begin(QStringLiteral("^\\s*($|#|\\||>|```|[-*] |\\d+\\. )"));
    return begin.match(line).hasMatch();
}

/// Without the line breaks of the file, which messages would show.
QString unwrapped(const QString& text) {
    QString out;
    bool inCode = false, isOpen = false;  // a paragraph or an item, to which more may belong
    for (const QString& line : text.split(u'\n')) {
        const bool isFence = line.trimmed().startsWith(QLatin1String("```"));
        const bool begins = inCode || beginsBlock(line);
        if (isOpen && !begins) {
            out.chop(1);
            out += u' ' + line.trimmed() + u'\n';
        } else {
            out += line + u'\n';
        }
        if (isFence) inCode = !inCode;
        const QString words = line.trimmed();
        isOpen =
            !inCode && !isFence && !words.isEmpty() && !words.startsWith(u'#') && !words.startsWith(u'|');
    }
    return out;
}

/// What this computer lacks stands where people read what is promised.
QString noteFor(const QString& page) {
    const std::string lacking = page.contains("privacy") ? brokers::lacking() : std::string();
    if (lacking.empty()) return {};
    return QStringLiteral("\n## On this computer\n\nThe window is not held as described: %1\n")
        .arg(toQString(lacking));
}

}  // namespace

HelpModel::HelpModel(QObject* parent) : QObject(parent) {
    for (const QString& name : QDir(kPages).entryList({"*.md"}, QDir::Files, QDir::Name)) {
        QFile page(kPages + name);
        if (page.open(QIODevice::ReadOnly))
            readPage(unwrapped(QString::fromUtf8(page.readAll())) + noteFor(name));
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
    std::vector<history::Message> shown;
    m_pages.clear();
    for (const Section& section : m_sections) {
        const QString& title = m_titles[section.page];
        const bool found = std::ranges::all_of(words, [&](const QString& word) {
            return section.text.contains(word, Qt::CaseInsensitive) ||
                   title.contains(word, Qt::CaseInsensitive);
        });
        if (!found) continue;
        const auto id = static_cast<history::RowId>(section.page) + 1;
        if (shown.empty() || shown.back().id != id) {
            shown.emplace_back();
            shown.back().id = id;
            shown.back().role = Role::Assistant;
            shown.back().parts.emplace_back();
            if (!section.isFirst) shown.back().parts[0].text = (kPageMark + title + "\n\n").toStdString();
        }
        shown.back().parts[0].text += section.text.toStdString();
    }
    auto rows = std::make_unique<ChatRows>(ChatRows::Furniture::None);
    rows->setBranch(shown);
    for (const history::Message& page : shown) {
        const auto& title = m_titles[static_cast<size_t>(page.id) - 1];
        m_pages.append(QVariantMap{{"title", title}, {"row", rows->firstRow(page.id)}});
    }
    // The view lets go of the former rows before they are gone.
    m_rows.swap(rows);
    emit shownChanged();
}

}  // namespace ingle::desktop
