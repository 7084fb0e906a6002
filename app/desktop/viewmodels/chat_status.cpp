#include "app/desktop/viewmodels/chat_status.h"

#include <QLocale>

#include <algorithm>

namespace ingle::desktop {

ChatStatus::ChatStatus(const ChatController& chat, const ModelListModel& models, QObject* parent)
    : QObject(parent), m_chat(chat), m_models(models) {
    connect(&chat, &ChatController::progressChanged, this, &ChatStatus::changed);
    connect(&chat, &ChatController::generationChanged, this, &ChatStatus::changed);
    connect(&models, &ModelListModel::stateChanged, this, &ChatStatus::changed);
}

QString ChatStatus::text() const {
    QStringList parts{m_models.fallback(), m_chat.promptNote()};
    if (const double speed = m_chat.tokensPerSecond(); speed > 0)
        parts.append(tr("%1 tokens per second").arg(QLocale().toString(speed, 'f', speed < 10 ? 1 : 0)));
    parts.removeAll(QString());
    return parts.join("  ·  ");
}

QStringList ChatStatus::details() const {
    QStringList lines;
    if (m_models.state() != ModelListModel::Ready) return lines;
    lines.append(m_models.device());
    const QLocale locale;
    const int used = m_chat.contextUsed();
    if (const int size = m_chat.contextSize(); size > 0)
        lines.append(tr("Context: %1 of %2 tokens").arg(locale.toString(used), locale.toString(size)));
    else if (used > 0)
        lines.append(tr("Context: %1 tokens, without end").arg(locale.toString(used)));
    lines.removeAll(QString());
    return lines;
}

double ChatStatus::contextShare() const {
    const int size = m_chat.contextSize();
    return size > 0 ? std::min(1.0, static_cast<double>(m_chat.contextUsed()) / size) : 0;
}

}  // namespace ingle::desktop
