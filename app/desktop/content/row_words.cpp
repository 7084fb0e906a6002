#include "app/desktop/content/row_words.h"

#include <QLocale>

#include <algorithm>

#include "app/desktop/content/chat_rows.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/text.h"
#include "app/protocol/remote.h"

namespace ingle::desktop {
namespace {

using content::Block;
using content::Container;
using content::ContainerKind;
using history::Message;
using history::MessageStatus;

/// A text's first letter decides its direction; it stands near its beginning.
constexpr size_t kDirectionBytes = 512;

}  // namespace

bool isRightToLeft(const Block& block) {
    const std::string& text =
        block.rows.empty() || block.rows.front().empty() ? block.text.text : block.rows.front().front().text;
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(std::min(text.size(), kDirectionBytes)))
        .isRightToLeft();
}

QString markOf(const Container& container) {
    if (container.kind == ContainerKind::Quote) return {};
    if (container.task != content::TaskState::None)
        return container.task == content::TaskState::Done ? QStringLiteral("☑") : QStringLiteral("☐");
    if (container.kind == ContainerKind::Bullet) return QStringLiteral("•");
    return QString::number(container.number) + QLatin1Char(container.mark);
}

QString figuresOf(const Message& message) {
    const QString model = toQString(message.modelName);
    if (message.stats.decodeMs <= 0 || message.stats.newTokens == 0) return model;
    const QLocale locale;
    const double speed = message.stats.newTokens * 1000.0 / message.stats.decodeMs;
    QString figures = ChatRows::tr("%1 · %2 tokens · %3 per second")
                          .arg(model)
                          .arg(locale.toString(message.stats.newTokens))
                          .arg(locale.toString(speed, 'f', speed < 10 ? 1 : 0));
    if (message.stats.takenTokens > 0)
        figures +=
            ChatRows::tr(" · %1 tokens predicted ahead").arg(locale.toString(message.stats.takenTokens));
    return figures;
}

QString sentenceOf(const Message& message, bool isEmpty, const QString& progress) {
    switch (message.status) {
        case MessageStatus::Complete:
            return {};
        case MessageStatus::Streaming:
            if (!progress.isEmpty()) return progress;
            return isEmpty ? ChatRows::tr("Thinking…") : QString();
        case MessageStatus::Stopped: {
            const QString why = RunningAnswers::endSentence(message);
            return why.isEmpty() ? ChatRows::tr("Stopped") : why;
        }
        case MessageStatus::Interrupted:
            if (protocol::isRemote(message.modelId))
                return ChatRows::tr(
                           "Interrupted. %1, which another computer runs, can continue it: choose it first.")
                    .arg(toQString(message.modelName));
            return ChatRows::tr("Interrupted");
        case MessageStatus::Failed:
            return RunningAnswers::endSentence(message);
    }
    return {};
}

}  // namespace ingle::desktop
