#include "app/desktop/documents/quote_finder.h"

#include <QVariantMap>

#include <algorithm>

#include "app/desktop/services/text.h"
#include "ingle/part.h"

namespace ingle::desktop {
namespace {

using history::Quote;

QString placeOf(const Quote& quote) {
    if (quote.document == 0) return {};
    QString place = toQString(quote.title);
    if (quote.page != 0) place = QuoteFinder::tr("%1, page %2").arg(place).arg(quote.page);
    if (!quote.heading.empty() && quote.heading != quote.title)
        place = QuoteFinder::tr("%1, %2").arg(place, toQString(quote.heading));
    return place;
}

QString passageOf(const Quote& quote) {
    if (quote.document == 0) return {};
    return QStringLiteral("…%1<b>%2</b>%3…")
        .arg(toQString(quote.before).toHtmlEscaped(), toQString(quote.match).toHtmlEscaped(),
             toQString(quote.after).toHtmlEscaped());
}

}  // namespace

QVariantList QuoteFinder::quotes() const {
    QVariantList list;
    for (const Quote& quote : m_quotes)
        list.append(QVariantMap{
            {"words", toQString(quote.words)}, {"place", placeOf(quote)}, {"passage", passageOf(quote)}});
    return list;
}

QString QuoteFinder::sentence() const {
    if (m_quotes.empty()) return tr("This answer quotes nothing.");
    const auto found =
        std::ranges::count_if(m_quotes, [](const Quote& quote) { return quote.document != 0; });
    if (found == std::ssize(m_quotes)) return tr("All of its quotes stand in the documents.");
    return tr("Of its quotes (%1), so many stand in the documents: %2.").arg(m_quotes.size()).arg(found);
}

bool QuoteFinder::canFind(history::RowId message) const {
    const history::Message* answer = m_chat.message(message);
    return answer != nullptr && answer->role == Role::Assistant &&
           answer->status != history::MessageStatus::Streaming;
}

void QuoteFinder::find(history::RowId message) {
    if (!canFind(message)) return;
    const auto work =
        [conversation = static_cast<history::RowId>(m_chat.conversationId()),
         answer = textOf(m_chat.message(message)->parts, PartKind::Text)](history::HistoryReader& history) {
            return history::findQuotes(history, conversation, answer);
        };
    m_storage.readBehindWrites(this, work,
                               [this, number = ++m_numAsked](const Result<std::vector<Quote>>& quotes) {
                                   if (number != m_numAsked) return;
                                   if (!quotes)
                                       return m_notices.showError(Notices::Topic::History, quotes.error());
                                   m_quotes = *quotes;
                                   emit changed();
                                   emit found();
                               });
}

}  // namespace ingle::desktop
