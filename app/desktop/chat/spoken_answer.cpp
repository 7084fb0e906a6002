#include "app/desktop/chat/spoken_answer.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <utility>

#include "app/content/block_stream.h"
#include "app/content/selection.h"
#include "app/desktop/services/screen_reader.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

/// Behind the last sentence or line that is whole; 0: there is none.
qsizetype endOfSentences(const QString& text) {
    static const QRegularExpression ends(QStringLiteral("[.!?…][\"'”’»)\\]*_]*\\s|[。！？]|\\n"));
    qsizetype end = 0;
    for (auto all = ends.globalMatch(text); all.hasNext();) end = all.next().capturedEnd();
    return end;
}

QString withoutMarks(const QString& markdown) {
    QStringList lines;
    const Part part{PartKind::Text, markdown.toStdString(), {}};
    for (const content::Block& block : content::blocksOf({&part, 1}))
        lines.append(toQString(content::plainText(block)));
    return lines.join(u' ');
}

}  // namespace

QString takeSentences(QString& text, bool& inCode, bool isEnd) {
    const qsizetype end = isEnd ? text.size() : endOfSentences(text);
    const QString taken = text.first(end);
    text = text.sliced(end);
    QStringList said;
    QString prose;
    for (const QString& line : taken.split(u'\n')) {
        const QString trimmed = line.trimmed();
        if (trimmed.startsWith(QLatin1String("```")) || trimmed.startsWith(QLatin1String("~~~"))) {
            inCode = !inCode;
            said.append(withoutMarks(prose));
            prose.clear();
            if (inCode) said.append(QCoreApplication::translate("SpokenAnswer", "Code."));
        } else if (!inCode) {
            prose += line + u'\n';
        }
    }
    said.append(withoutMarks(prose));
    return said.join(u' ').simplified();
}

SpokenAnswer::SpokenAnswer(RunningAnswers& answers, ChatController& chat, QObject* parent)
    : QObject(parent), m_chat(chat) {
    connect(&answers, &RunningAnswers::committed, this, &SpokenAnswer::onCommitted);
    connect(&answers, &RunningAnswers::ended, this,
            [this](history::RowId, history::RowId message) { onEnded(message); });
    connect(&chat, &ShownChat::conversationChanged, this, [this] {
        if (m_chat.generation() != ChatController::Idle) return;  // it began with what was sent
        const bool isNew = m_chat.conversationId() == 0;
        ScreenReader::instance().say(isNew ? tr("New conversation") : m_chat.title());
    });
}

void SpokenAnswer::onCommitted(history::RowId message, const std::vector<PartPiece>& pieces) {
    ScreenReader& reader = ScreenReader::instance();
    if (!reader.active() || m_chat.message(message) == nullptr) return;
    if (m_message != message) {
        m_message = message;
        m_text.clear();
        m_inCode = m_thinks = false;
    }
    for (const PartPiece& piece : pieces) {
        if (piece.kind == PartKind::Text) m_text += toQString(piece.text);
        if (piece.kind == PartKind::Thought && !std::exchange(m_thinks, true))
            reader.say(tr("It is thinking."));
    }
    reader.say(takeSentences(m_text, m_inCode, false));
}

void SpokenAnswer::onEnded(history::RowId message) {
    ScreenReader& reader = ScreenReader::instance();
    const history::Message* answer = m_chat.message(message);
    if (!reader.active() || answer == nullptr) return;
    if (m_message == message) reader.say(takeSentences(m_text, m_inCode, true));
    m_message = 0;
    reader.say(RunningAnswers::endSentence(*answer));
}

}  // namespace ingle::desktop
